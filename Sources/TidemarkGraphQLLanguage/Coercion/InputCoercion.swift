import TidemarkModel

/// Converts values to the form that their types require.
///
/// - Source: GraphQL, October 2021, sections 3.5 to 3.12, input coercion, and 6.4.1, CoerceArgumentValues.
struct InputCoercion {
    /// Why a value does not belong to its type.
    struct Fault: Error {
        /// The path from the value on, such as `.name[2]`; empty for the value itself.
        var path = ""
        /// The end of a sentence, without a full stop.
        var message: String

        func below(_ step: String) -> Fault { Fault(path: step + path, message: message) }
    }

    let schema: GraphQLSchema

    func coerce(_ value: InputValue, to type: SchemaTypeReference) throws(Fault) -> InputValue {
        if case .null = value {
            guard !type.isNonNull else { throw Fault(message: "null is not allowed; pass a value") }
            return .null
        }
        switch type.nullable {
        case .list(let element):
            guard case .list(let elements) = value else { return .list([try coerce(value, to: element)]) }
            var coerced: [InputValue] = []
            for (index, inner) in elements.enumerated() {
                do throws(Fault) {
                    coerced.append(try coerce(inner, to: element))
                } catch {
                    throw error.below("[\(index)]")
                }
            }
            return .list(coerced)
        case .named(let id), .nonNull(.named(let id)): return try coerce(value, to: schema[id])
        case .nonNull: preconditionFailure("a nullable type is never non-null")
        }
    }

    private func coerce(_ value: InputValue, to type: SchemaType) throws(Fault) -> InputValue {
        switch type.kind {
        case .scalar:
            guard let scalar = BuiltInScalar(rawValue: type.name.description), !scalar.accepts(value) else {
                return value
            }
            throw Fault(message: "pass \(scalar.rawValue == "Int" ? "an" : "a") \(scalar.rawValue)")
        case .enumeration:
            guard case .string(let name) = value, type.values.contains(name) else {
                throw Fault(message: "pass the name of one of its values as a string")
            }
            return value
        case .input:
            guard case .object(let members) = value else { throw Fault(message: "pass an object") }
            return try coerce(members, to: type)
        case .object, .interface, .union: return value
        }
    }

    private func coerce(_ members: [ByteString: InputValue], to type: SchemaType) throws(Fault) -> InputValue {
        for name in members.keys.sorted() where type.inputs[name] == nil {
            throw Fault(message: "\(type.name) has no field \(DocumentValidator.excerpt(name)); leave it out")
        }
        var coerced: [ByteString: InputValue] = [:]
        for input in type.inputs.all {
            do throws(Fault) {
                coerced[input.name] = try coerce(members[input.name], to: input)
            } catch {
                throw error.below(".\(input.name)")
            }
        }
        return .object(coerced)
    }

    /// Converts the value of an argument or of an input's field. Without a value the default is used.
    ///
    /// - Returns: nil if there is neither a value nor a default.
    func coerce(_ value: InputValue?, to input: SchemaInput) throws(Fault) -> InputValue? {
        if let value { return try coerce(value, to: input.type) }
        if let value = input.defaultValue.flatMap({ InputValue($0, variables: [:]) }) {
            return try coerce(value, to: input.type)
        }
        guard !input.isRequired else { throw Fault(message: "it must be given; pass a value") }
        return nil
    }
}

extension GraphQLSchema {
    /// Converts the arguments of a field to the form that their types require, with the defaults of the schema filled
    /// in.
    ///
    /// - Parameter variables: The coerced values of variables.
    /// - Throws: ``DocumentError`` `invalidParams` with the first invalid argument.
    /// - Source: GraphQL, October 2021, section 6.4.1, CoerceArgumentValues.
    package func coerceArguments(
        of field: Field, as definition: SchemaField, variables: [ByteString: InputValue]
    ) throws(DocumentError) -> [ByteString: InputValue] {
        var values: [ByteString: InputValue] = [:]
        for argument in field.arguments {
            values[argument.name.text] = InputValue(argument.value, variables: variables)
        }
        var coerced: [ByteString: InputValue] = [:]
        for input in definition.arguments.all {
            do throws(InputCoercion.Fault) {
                coerced[input.name] = try InputCoercion(schema: self).coerce(values[input.name], to: input)
            } catch {
                throw DocumentError(
                    .invalidParams,
                    "The argument \(DocumentValidator.excerpt(input.name)) of \(DocumentValidator.excerpt(field.name.text)) "
                        + "is not of type \(text(of: input.type)): \(error.path)\(error.path.isEmpty ? "" : ": ")\(error.message)."
                )
            }
        }
        return coerced
    }
}
