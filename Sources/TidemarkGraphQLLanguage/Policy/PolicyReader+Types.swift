import TidemarkModel

extension PolicyReader {
    /// Reports names that are not defined, and types of a kind that is not allowed at their place.
    mutating func checkTypes() {
        for index in types.indices {
            let type = types[index]
            var interfaces: [Name] = []
            for name in type.interfaces where check(name, is: .composite(.interface), "implemented") {
                interfaces.append(name)
            }
            types[index].interfaces = interfaces
            for name in type.members { check(name, is: .composite(.object), "a type of a union") }
            for field in type.fields { check(field, of: type) }
        }
    }

    /// - Parameter role: The role of the name, for messages.
    @discardableResult
    private mutating func check(_ name: Name, is kind: Kind, _ role: String) -> Bool {
        guard let found = kinds[name.text] else {
            refuseUnknown(name)
            return false
        }
        guard found == kind else {
            errors.append(
                .wrongKind,
                "\(PolicyReader.excerpt(name.text)) is \(found.words), and only \(kind.words) can be \(role); name one",
                at: name.place)
            return false
        }
        return true
    }

    private mutating func check(_ field: PolicyField, of type: PolicyType) {
        let typeName = field.typeName
        guard let kind = kinds[typeName.text] else { return refuseUnknown(typeName) }
        guard kind != .input else {
            return errors.append(
                .wrongKind,
                "\(PolicyReader.excerpt(typeName.text)) is an input, which no field can hold; name a type for output",
                at: typeName.place)
        }
        if let own = field.own, own.cascades, kind != .composite(.object) {
            errors.append(
                .cascadeWithoutObject,
                "cascadeDeletion on "
                    + "\(PolicyReader.excerpt(type.name.text)).\(PolicyReader.excerpt(field.name.text)), which holds "
                    + "\(kind.words); only a field that holds an object type, or a list of one, can cascade",
                at: own.place)
        }
    }

    private mutating func refuseUnknown(_ name: Name) {
        errors.append(
            .unknownType,
            "\(PolicyReader.excerpt(name.text)) is not defined; define it, a scalar as scalar "
                + "\(PolicyReader.excerpt(name.text))",
            at: name.place)
    }
}
