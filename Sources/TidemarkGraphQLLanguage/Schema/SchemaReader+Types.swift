import TidemarkModel

extension SchemaReader {
    /// Adds an extension to its type.
    mutating func extend(_ addition: TypeDefinition) {
        guard let id = known(addition.name, "extended") else { return }
        let kind = schema[id].kind
        guard kind == SchemaReader.kind(of: addition.body) else {
            return errors.append(
                .wrongKind,
                "\(SchemaReader.excerpt(addition.name)) is \(kind.rawValue); extend it as that, not as "
                    + "\(addition.body.keyword)", at: addition.name.place)
        }
        add(addition, to: id)
    }

    /// Adds the members of a definition to its type, unless another definition has this name.
    mutating func add(_ definition: TypeDefinition) {
        guard let id = schema.ids[definition.name.text], places[definition.name.text] == definition.name.place else {
            return
        }
        add(definition, to: id)
    }

    private mutating func add(_ definition: TypeDefinition, to id: SchemaTypeID) {
        switch definition.body {
        case .scalar: break
        case .object(let interfaces, let fields), .interface(let interfaces, let fields):
            for name in interfaces { add(interface: name, to: id) }
            for field in fields { add(field, to: id) }
        case .union(let names):
            for name in names {
                guard let member = known(name, "a member of a union", as: .object) else { continue }
                members[id.index].append(member)
            }
        case .enumeration(let values):
            for value in values { schema.types[id.index].values.insert(value.name.text) }
        case .input(let fields):
            for field in fields {
                guard let input = input(field) else { continue }
                if !schema.types[id.index].inputs.append(input) { refuseSecond(field.name, of: id) }
            }
        }
    }

    private mutating func add(interface name: Name, to id: SchemaTypeID) {
        guard let interface = known(name, "implemented", as: .interface),
            !declaredInterfaces[id.index].contains(interface)
        else { return }
        guard declaredInterfaces[id.index].count < PolicyReader.interfaceCountMax else {
            return errors.append(
                .tooManyInterfaces,
                "\(schema[id].name) implements more than \(PolicyReader.interfaceCountMax) interfaces; leave out what is "
                    + "not needed", at: name.place)
        }
        declaredInterfaces[id.index].append(interface)
    }

    private mutating func add(_ definition: FieldDefinition, to id: SchemaTypeID) {
        guard let type = reference(definition.type, isInput: false) else { return }
        guard schema[id].fieldIndices[definition.name.text] == nil else { return refuseSecond(definition.name, of: id) }
        let field = SchemaField(
            name: definition.name.text, description: definition.description?.text,
            arguments: inputs(definition.arguments), type: type)
        schema.types[id.index].fieldIndices[field.name] = schema[id].fields.count
        schema.types[id.index].fields.append(field)
    }

    private mutating func refuseSecond(_ field: Name, of id: SchemaTypeID) {
        errors.append(
            .duplicateField,
            "\(schema[id].name).\(SchemaReader.excerpt(field)) is declared twice; declare it once", at: field.place)
    }

    /// Looks up the types of arguments. Invalid arguments are reported and left out.
    mutating func inputs(_ definitions: [InputValueDefinition]) -> SchemaInputs {
        var inputs = SchemaInputs()
        for definition in definitions {
            guard let input = input(definition) else { continue }
            if !inputs.append(input) {
                errors.append(
                    .duplicateArgument, "\(SchemaReader.excerpt(definition.name)) is declared twice; declare it once",
                    at: definition.name.place)
            }
        }
        return inputs
    }

    private mutating func input(_ definition: InputValueDefinition) -> SchemaInput? {
        reference(definition.type, isInput: true).map {
            SchemaInput(name: definition.name.text, type: $0, defaultValue: definition.defaultValue)
        }
    }

    /// Looks up a type reference.
    ///
    /// - Parameter isInput: True if the type is that of an input, false if it is that of a field.
    private mutating func reference(_ type: TypeReference, isInput: Bool) -> SchemaTypeReference? {
        let name = type.name
        guard let id = known(name, "used") else { return nil }
        let kind = schema[id].kind
        if isInput, schema[id].isComposite {
            errors.append(
                .wrongKind,
                "\(SchemaReader.excerpt(name)) is \(kind.rawValue), which cannot be given; name a scalar, an enum or an "
                    + "input type", at: name.place)
            return nil
        }
        if !isInput, kind == .input {
            errors.append(
                .wrongKind,
                "\(SchemaReader.excerpt(name)) is an input type, which no field can hold; name a type for output",
                at: name.place)
            return nil
        }
        return schema.resolve(type)
    }

    /// Looks up the name of a type.
    ///
    /// - Returns: nil if there is no such type, or it has another kind. Both are reported.
    mutating func known(_ name: Name, _ role: String, as kind: SchemaType.Kind? = nil) -> SchemaTypeID? {
        guard let id = schema.ids[name.text] else {
            errors.append(
                .unknownType, "\(SchemaReader.excerpt(name)) is \(role) and not defined; define it", at: name.place)
            return nil
        }
        guard kind == nil || kind == schema[id].kind else {
            errors.append(
                .wrongKind,
                "\(SchemaReader.excerpt(name)) is \(schema[id].kind.rawValue) and cannot be \(role); name "
                    + "\(kind?.rawValue ?? "another type")", at: name.place)
            return nil
        }
        return id
    }
}
