import TidemarkModel

extension PolicyReader {
    /// Adds a definition under its name.
    mutating func define(_ definition: TypeDefinition) {
        let name = definition.name
        if let place = places[name.text] {
            return errors.append(
                .duplicateType,
                "\(PolicyReader.excerpt(name.text)) was defined at \(place.line):\(place.column); define it "
                    + "once, add with extend",
                at: name.place)
        }
        places[name.text] = name.place
        let kind = PolicyReader.kind(of: definition.body)
        kinds[name.text] = kind
        guard case .composite(let composite) = kind else { return }
        indices[name.text] = types.count
        types.append(PolicyType(name: name, kind: composite))
        add(definition, to: types.count - 1)
    }

    /// Adds an extension to its type.
    mutating func extend(_ addition: TypeDefinition) {
        let name = addition.name
        guard let kind = kinds[name.text] else {
            return errors.append(
                .unknownType, "\(PolicyReader.excerpt(name.text)) is extended and not defined; define it",
                at: name.place)
        }
        guard kind == PolicyReader.kind(of: addition.body) else {
            return errors.append(
                .wrongKind,
                "\(PolicyReader.excerpt(name.text)) is \(kind.words); extend it as that, not as "
                    + "\(addition.body.keyword)",
                at: name.place)
        }
        if let index = indices[name.text] { add(addition, to: index) }
    }

    static func kind(of body: TypeDefinition.Body) -> Kind {
        switch body {
        case .scalar, .enumeration: .scalar
        case .object: .composite(.object)
        case .interface: .composite(.interface)
        case .union: .composite(.union)
        case .input: .input
        }
    }

    private mutating func add(_ definition: TypeDefinition, to index: Int) {
        for directive in definition.directives {
            switch PolicyDirective(directive) {
            case .control: setOwn(directive, of: index)
            case .field where types[index].kind != .union: types[index].fieldDirectives.append(directive)
            case .field: refuse(directive)
            case nil: break
            }
        }
        switch definition.body {
        case .object(let interfaces, let fields), .interface(let interfaces, let fields):
            for name in interfaces { add(interface: name, to: index) }
            for field in fields { add(field, to: index) }
        case .union(let members):
            types[index].members += members
        case .scalar, .enumeration, .input: break
        }
    }

    private mutating func setOwn(_ directive: Directive, of index: Int) {
        let name = PolicyReader.excerpt(types[index].name.text)
        if let own = types[index].own { return refuseSecond(directive, of: name, after: own) }
        let read = control(directive)
        if read.control.cascades {
            errors.append(
                .cascadeWithoutObject,
                "cascadeDeletion on \(name), a whole type; set it on the fields that refer to what is to be deleted",
                at: directive.place)
        }
        types[index].own = read.control
    }

    private mutating func add(interface name: Name, to index: Int) {
        // An extension may repeat an interface of the definition.
        guard !types[index].interfaces.contains(where: { $0.text == name.text }) else { return }
        guard types[index].interfaces.count < PolicyReader.interfaceCountMax else {
            return errors.append(
                .tooManyInterfaces,
                "\(PolicyReader.excerpt(types[index].name.text)) implements more than "
                    + "\(PolicyReader.interfaceCountMax) "
                    + "interfaces; leave out what is not needed", at: name.place)
        }
        types[index].interfaces.append(name)
    }

    private mutating func add(_ definition: FieldDefinition, to index: Int) {
        let name = definition.name
        let words = "\(PolicyReader.excerpt(types[index].name.text)).\(PolicyReader.excerpt(name.text))"
        if let other = types[index].fieldIndices[name.text] {
            let place = types[index].fields[other].name.place
            return errors.append(
                .duplicateField, "\(words) was declared at \(place.line):\(place.column); declare it once",
                at: name.place)
        }
        var field = PolicyField(name: name, typeName: definition.type.name)
        for directive in definition.directives {
            switch PolicyDirective(directive) {
            case .control:
                if let own = field.own {
                    refuseSecond(directive, of: words, after: own)
                } else {
                    field.own = control(directive).control
                }
            case .field: refuse(directive)
            case nil: break
            }
        }
        types[index].fieldIndices[name.text] = types[index].fields.count
        types[index].fields.append(field)
    }
}
