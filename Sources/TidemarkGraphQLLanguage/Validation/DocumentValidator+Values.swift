import TidemarkModel

extension DocumentValidator {
    /// Section 5.6: a value has its type. Uses of variables are recorded for the rules about variables.
    ///
    /// - Parameter hasDefault: True if the argument or field has a default.
    mutating func check(
        _ value: Value, _ type: SchemaTypeReference, hasDefault: Bool, _ schema: GraphQLSchema
    ) {
        if case .variable(let name) = value.kind {
            return note(VariableUse(name: name, place: value.place, type: type, hasDefault: hasDefault))
        }
        if case .null = value.kind {
            if type.isNonNull { refuse(value, type, schema) }
            return
        }
        switch type.nullable {
        case .list(let element):
            guard case .list(let elements) = value.kind else {
                // A single value counts as a list of one.
                return check(value, element, hasDefault: false, schema)
            }
            for inner in elements { check(inner, element, hasDefault: false, schema) }
        case .named(let id): check(value, schema[id], type, schema)
        case .nonNull: preconditionFailure("a nullable type is never non-null")
        }
    }

    private mutating func check(
        _ value: Value, _ type: SchemaType, _ reference: SchemaTypeReference, _ schema: GraphQLSchema
    ) {
        switch type.kind {
        case .enumeration:
            guard case .enumeration(let name) = value.kind, type.values.contains(name) else {
                return refuse(value, reference, schema)
            }
        case .input:
            guard case .object(let fields) = value.kind else { return refuse(value, reference, schema) }
            check(fields, of: type, at: value.place, schema)
        case .scalar:
            guard let scalar = BuiltInScalar(rawValue: type.name.description) else {
                return checkUniqueFields(value)
            }
            if !scalar.accepts(value.kind) { refuse(value, reference, schema) }
        case .object, .interface, .union: break
        }
    }

    /// Sections 5.6.2, 5.6.3 and 5.6.4: the fields of an input object exist, are unique, and required ones are given.
    private mutating func check(
        _ fields: [NamedValue], of type: SchemaType, at place: SourcePlace, _ schema: GraphQLSchema
    ) {
        var names: Set<ByteString> = []
        for field in fields {
            if !names.insert(field.name.text).inserted { refuseSecond(field) }
            guard let input = type.inputs[field.name.text] else {
                findings.append(
                    .unknownInputField,
                    "\(DocumentValidator.excerpt(type.name)) has no field \(DocumentValidator.excerpt(field.name.text)); "
                        + "remove it.", at: field.name.place)
                continue
            }
            check(field.value, input.type, hasDefault: input.defaultValue != nil, schema)
        }
        for input in type.inputs.all where input.isRequired && !names.contains(input.name) {
            findings.append(
                .missingInputField,
                "\(DocumentValidator.excerpt(type.name)) needs the field \(DocumentValidator.excerpt(input.name)) of type "
                    + "\(schema.text(of: input.type)); give it.", at: place)
        }
    }

    /// Checks that objects in a custom scalar have each field once. Otherwise such a scalar takes any value.
    private mutating func checkUniqueFields(_ value: Value) {
        switch value.kind {
        case .list(let elements): for element in elements { checkUniqueFields(element) }
        case .object(let fields):
            var names: Set<ByteString> = []
            for field in fields {
                if !names.insert(field.name.text).inserted { refuseSecond(field) }
                checkUniqueFields(field.value)
            }
        case .variable, .int, .float, .string, .boolean, .null, .enumeration: break
        }
    }

    private mutating func refuseSecond(_ field: NamedValue) {
        findings.append(
            .duplicateInputField,
            "The field \(DocumentValidator.excerpt(field.name.text)) is given twice; give it once.",
            at: field.name.place)
    }

    private mutating func refuse(_ value: Value, _ type: SchemaTypeReference, _ schema: GraphQLSchema) {
        findings.append(
            .badValue, "This value is not of type \(schema.text(of: type)); give one that is.", at: value.place)
    }

    /// Records the use of a variable. Equal uses in one definition are recorded once, so that a document cannot make
    /// the check of variables slow.
    private mutating func note(_ use: VariableUse) {
        let key = UseKey(name: use.name, type: use.type, hasDefault: use.hasDefault, definition: current)
        if notedUses.insert(key).inserted { typedUses[current].append(use) }
    }

    struct UseKey: Hashable {
        var name: ByteString
        var type: SchemaTypeReference
        var hasDefault: Bool
        var definition: Int
    }
}
