import TidemarkModel

extension DocumentValidator {
    /// Sections 5.4.1 and 5.4.2.1: arguments exist and have valid values, and required ones are given.
    ///
    /// - Parameter owner: The field or directive that has the arguments; the beginning of a sentence.
    mutating func check(
        _ arguments: [NamedValue], of inputs: SchemaInputs, owner: @autoclosure () -> String, at place: SourcePlace,
        _ schema: GraphQLSchema
    ) {
        for argument in arguments {
            guard let input = inputs[argument.name.text] else {
                findings.append(
                    .unknownArgument,
                    "\(owner()) has no argument \(DocumentValidator.excerpt(argument.name.text)); remove it.",
                    at: argument.name.place)
                continue
            }
            check(argument.value, input.type, hasDefault: input.defaultValue != nil, schema)
        }
        for input in inputs.all where input.isRequired {
            if !arguments.contains(where: { $0.name.text == input.name }) {
                findings.append(
                    .missingArgument,
                    "\(owner()) needs the argument \(input.name) of type \(schema.text(of: input.type)); give it.",
                    at: place)
            }
        }
    }

    /// Section 5.7: directives exist, are allowed at their place, and are not repeated there.
    mutating func check(_ directives: [Directive], at location: DirectiveLocation, _ schema: GraphQLSchema) {
        var seen: Set<ByteString> = []
        for directive in directives {
            let name = directive.name.text
            guard let definition = schema.directives[name] else {
                findings.append(
                    .unknownDirective,
                    "There is no directive @\(DocumentValidator.excerpt(name)); remove it, or declare it in the schema.",
                    at: directive.place)
                continue
            }
            if !definition.locations.contains(location) {
                findings.append(
                    .misplacedDirective,
                    "@\(DocumentValidator.excerpt(name)) cannot stand here; remove it.", at: directive.place)
            }
            if !seen.insert(name).inserted, !definition.isRepeatable {
                findings.append(
                    .duplicateDirective, "@\(DocumentValidator.excerpt(name)) stands here twice; write it once.",
                    at: directive.place)
            }
            check(
                directive.arguments, of: definition.arguments, owner: "@\(DocumentValidator.excerpt(name))",
                at: directive.place, schema)
        }
    }

    /// Sections 5.8.2 and 5.6 for the definitions of variables.
    mutating func checkDefinitions(_ variables: [VariableDefinition], _ schema: GraphQLSchema) {
        for variable in variables {
            check(variable.directives, at: .variableDefinition, schema)
            let name = variable.type.name
            guard let type = schema.resolve(variable.type) else {
                findings.append(
                    .unknownType,
                    "The schema has no type \(DocumentValidator.excerpt(name.text)); name one that it has.",
                    at: name.place)
                continue
            }
            guard schema[type.named].isInput else {
                findings.append(
                    .variableNotInput,
                    "\(DocumentValidator.excerpt(name.text)) is \(schema[type.named].kind.rawValue); a variable has a "
                        + "scalar, an enum or an input type.", at: name.place)
                continue
            }
            if let value = variable.defaultValue { check(value, type, hasDefault: false, schema) }
        }
    }
}
