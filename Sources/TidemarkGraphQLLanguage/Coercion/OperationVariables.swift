import TidemarkModel

/// The values of an operation's variables.
package struct OperationVariables: Hashable, Sendable {
    /// The values as they were given, with the operation's defaults filled in. Storage names are made of these.
    /// Variables without a value, and those that the operation does not define, are absent.
    package var given: [ByteString: InputValue]
    /// The values in the form that their types require: single values become lists where needed, and defaults of input
    /// types are filled in. Without a schema they equal ``given``.
    package var coerced: [ByteString: InputValue]

    /// Creates a set of values.
    package init(given: [ByteString: InputValue], coerced: [ByteString: InputValue]) {
        self.given = given
        self.coerced = coerced
    }

    /// Parses and checks the variables of a request.
    ///
    /// - Parameters:
    ///   - json: One JSON object; nil counts as an empty one.
    ///   - schema: The server's schema. If nil, the only check is that required variables have a value.
    /// - Throws: ``DocumentError`` `invalidParams` with the name of the first invalid variable.
    /// - Source: GraphQL, October 2021, section 6.1.2, CoerceVariableValues; Protocol/graphql.md, variables.
    package static func read(
        _ json: [UInt8]?, of operation: OperationDefinition, schema: GraphQLSchema?
    ) throws(DocumentError) -> OperationVariables {
        guard let json else { return try coerce([:], of: operation, schema: schema) }
        let value: InputValue
        do throws(InputValueError) {
            value = try InputValueReader.read(json)
        } catch {
            let what = error.isTooDeep ? "nest more than \(InputValueReader.nestingDepthMax) deep" : "are not JSON"
            throw DocumentError(
                .invalidParams, "The variables \(what) at byte \(error.offset); pass one JSON object.")
        }
        guard case .object(let members) = value else {
            throw DocumentError(.invalidParams, "The variables are not an object; pass one JSON object.")
        }
        return try coerce(members, of: operation, schema: schema)
    }

    /// Checks variables that have been parsed before; see ``read(_:of:schema:)``.
    package static func coerce(
        _ values: [ByteString: InputValue], of operation: OperationDefinition, schema: GraphQLSchema?
    ) throws(DocumentError) -> OperationVariables {
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
                // Defaults have been checked with the document; they are coerced like any other value.
                variables.coerced[name] = try InputCoercion(schema: schema).coerce(value, to: type)
            } catch {
                let place = error.path.isEmpty ? "" : " at \(error.path)"
                throw refusal(name, "is not of type \(schema.text(of: type))\(place): \(error.message)")
            }
        }
        return variables
    }

    private static func refusal(_ name: ByteString, _ what: String) -> DocumentError {
        DocumentError(.invalidParams, "The variable $\(DocumentValidator.excerpt(name)) \(what).")
    }
}
