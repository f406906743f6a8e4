import TidemarkGraphQLLanguage

/// Everything that is generated from a schema and its documents, before any Swift is written.
package struct TypedModel: Sendable {
    /// The schema that the operations were checked against.
    package let schema: GraphQLSchema
    /// The operations in the order of the files, and in each file in their original order.
    package var operations: [OperationModel] = []
    /// The fragments in the order of the files, and in each file in their original order.
    package var fragments: [FragmentModel] = []
    /// The enums that operations and fragments use, sorted by name.
    package var enumerations: [EnumerationModel] = []
    /// The input types that variables use, sorted by name.
    package var inputs: [InputModel] = []
    /// The Swift names of enums and input types, by their names in the schema.
    package var typeNames: [String: String] = [:]
}

/// An operation to be generated.
package struct OperationModel: Hashable, Sendable {
    /// The kind of the operation.
    package var kind: OperationKind
    /// The name in the document.
    package var name: String
    /// The names that lead to the operation's structure.
    package var path: TypePath
    /// The file that defines it.
    package var file: String
    /// The variables, in the order of their definitions.
    package var variables: [VariableModel]
    /// The operation and its fragments as text, with `__typename` in every object except the operation's own.
    package var document: String
    /// The structure of the operation's `data`.
    package var data: SelectionModel
}

/// A fragment to be generated.
package struct FragmentModel: Hashable, Sendable {
    package var name: String
    package var file: String
    /// The fragment and those that it spreads, as text.
    package var document: String
    /// The structure of the fragment's fields.
    package var selection: SelectionModel
}

/// A variable of an operation.
package struct VariableModel: Hashable, Sendable {
    /// The name in the document, without `$`.
    package var name: String
    package var swiftName: String
    package var type: SchemaTypeReference
    /// The default in the document; nil if there is none.
    package var defaultValue: Value?
}

/// An enum to be generated.
package struct EnumerationModel: Hashable, Sendable {
    /// One value of the enum.
    package struct Case: Hashable, Sendable {
        /// The name of the enum value in the schema, such as `NEW_HOPE`.
        package var value: String
        package var name: String
        package var description: String?
    }

    package var name: String
    package var swiftName: String
    package var description: String?
    /// The values in the order of the schema.
    package var cases: [Case]
}

/// An input type to be generated.
package struct InputModel: Hashable, Sendable {
    /// One field of the input type.
    package struct Field: Hashable, Sendable {
        package var name: String
        package var swiftName: String
        package var description: String?
        package var type: SchemaTypeReference
        /// True if the schema has a default, so that a value is not required.
        package var hasDefault: Bool
    }

    package var name: String
    package var swiftName: String
    package var description: String?
    /// The fields in the order of the schema.
    package var fields: [Field]
}
