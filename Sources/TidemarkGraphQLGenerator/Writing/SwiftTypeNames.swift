import TidemarkJSON
import TidemarkGraphQLLanguage
import TidemarkModel

/// The Swift types for the types of the schema.
struct SwiftTypeNames {
    let schema: GraphQLSchema
    /// The Swift names of enums and input types.
    let names: [String: String]
    let scalars: [String: String]

    private static let builtIn = [
        "Int": "Int", "Float": "Double", "String": "String", "Boolean": "Bool", "ID": "String",
    ]

    /// Returns the type of a field of data.
    ///
    /// - Parameter composite: The structure of an object; nil for scalars and enums.
    func output(_ type: SchemaTypeReference, composite: String?) -> String {
        switch type {
        case .nonNull(let inner): bare(inner) { output($0, composite: composite) } ?? composite ?? leaf(inner.named)
        case .list, .named: output(.nonNull(type), composite: composite) + "?"
        }
    }

    /// Returns the type of a variable or input field that must be given.
    func input(_ type: SchemaTypeReference) -> String {
        switch type {
        case .nonNull(let inner): bare(inner, input) ?? leaf(inner.named)
        case .list, .named: input(.nonNull(type)) + "?"
        }
    }

    /// Returns the type of a variable or input field that may be absent.
    func nullableInput(_ type: SchemaTypeReference) -> String { "GraphQLNullable<\(input(.nonNull(type.nullable)))>" }

    private func bare(_ type: SchemaTypeReference, _ element: (SchemaTypeReference) -> String) -> String? {
        guard case .list(let inner) = type else { return nil }
        return "[\(element(inner))]"
    }

    private func leaf(_ id: SchemaTypeID) -> String {
        let name = schema[id].name.description
        return names[name] ?? scalars[name] ?? SwiftTypeNames.builtIn[name] ?? "JSONValue"
    }
}
