import TidemarkModel

/// The values of an operation's variables.
package struct OperationVariables: Hashable, Sendable {
    /// Values as they were given, with the operation's defaults inserted: what storage names are made of. A variable
    /// without a value is not there, and neither is one that the operation does not define.
    package var given: [ByteString: InputValue]
    /// Values as their types want them: lists made of single values, defaults of input types inserted. Without a schema
    /// the same as `given`.
    package var coerced: [ByteString: InputValue]

    package init(given: [ByteString: InputValue], coerced: [ByteString: InputValue]) {
        self.given = given
        self.coerced = coerced
    }

    /// Reads and checks the variables of a request.
    ///
    /// - Parameters:
    ///   - json: One JSON object; nil counts as an empty one.
    ///   - schema: nil where none is known: then only that variables which must have a value have one is checked.
    /// - Throws: ``DocumentRefusal`` `invalid_params` with the name of the first variable that cannot be used.
    /// - Source: GraphQL, October 2021, section 6.1.2, CoerceVariableValues; Protocol/graphql.md, variables.
    package static func read(
        _ json: [UInt8]?, of operation: OperationDefinition, schema: GraphQLSchema?
    ) throws(DocumentRefusal) -> OperationVariables {
        guard let json else { return try coerce([:], of: operation, schema: schema) }
        let value: InputValue
        do throws(InputValueError) {
            value = try InputValueReader.read(json)
        } catch {
            let what = error.isTooDeep ? "nest more than \(InputValueReader.nestingDepthMax) deep" : "are not JSON"
            throw DocumentRefusal(
                .invalidParams, "The variables \(what) at byte \(error.offset); pass one JSON object.")
        }
        guard case .object(let members) = value else {
            throw DocumentRefusal(.invalidParams, "The variables are not an object; pass one JSON object.")
        }
        return try coerce(members, of: operation, schema: schema)
    }

    /// Checks variables that were read already; see ``read(_:of:schema:)``.
    package static func coerce(
        _ values: [ByteString: InputValue], of operation: OperationDefinition, schema: GraphQLSchema?
    ) throws(DocumentRefusal) -> OperationVariables {
        var variables = OperationVariables(given: [:], coerced: [:])
        for definition in operation.variables {
            let name = definition.name.text
            let value = values[name] ?? definition.defaultValue.flatMap { InputValue($0, variables: [:]) }
            guard let value else {
                if case .nonNull = definition.type { throw refusal(name, "has no value; pass one") }
                continue
            }
            if case .null = value, case .nonNull = definition.type {
                throw refusal(name, "is null, which its type does not allow; pass a value")
            }
            variables.given[name] = value
            guard let schema, let type = schema.resolve(definition.type) else {
                variables.coerced[name] = value
                continue
            }
            do throws(InputCoercion.Fault) {
                // The document's validation has looked at a default already; it is coerced as any other value.
                variables.coerced[name] = try InputCoercion(schema: schema).coerce(value, to: type)
            } catch {
                let place = error.path.isEmpty ? "" : " at \(error.path)"
                throw refusal(name, "is not of type \(schema.text(of: type))\(place): \(error.message)")
            }
        }
        return variables
    }

    private static func refusal(_ name: ByteString, _ what: String) -> DocumentRefusal {
        DocumentRefusal(.invalidParams, "The variable $\(DocumentValidator.excerpt(name)) \(what).")
    }
}
