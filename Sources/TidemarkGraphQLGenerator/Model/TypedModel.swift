import TidemarkGraphQL

/// Everything that is generated from one schema and its documents, before a line of Swift is written.
package struct TypedModel: Sendable {
    package let schema: GraphQLSchema
    /// The operations in the order of the files, then in the order written.
    package var operations: [OperationModel] = []
    package var fragments: [FragmentModel] = []
    /// The enums that operations and fragments use, by name.
    package var enumerations: [EnumerationModel] = []
    /// The input types that variables use, by name.
    package var inputs: [InputModel] = []
    /// The Swift names of enums and input types, by their names in the schema.
    package var typeNames: [String: String] = [:]
}

package struct OperationModel: Hashable, Sendable {
    package var kind: OperationKind
    /// The name in the document.
    package var name: String
    package var path: TypePath
    /// The file that defines it.
    package var file: String
    package var variables: [VariableModel]
    /// The operation and its fragments as text, with `__typename` in every object but the operation's own.
    package var document: String
    package var data: SelectionModel
}

package struct FragmentModel: Hashable, Sendable {
    package var name: String
    package var file: String
    /// The fragment and those that it spreads as text.
    package var document: String
    package var selection: SelectionModel
}

package struct VariableModel: Hashable, Sendable {
    /// The name in the document, without `$`.
    package var name: String
    package var swiftName: String
    package var type: SchemaTypeReference
    package var defaultValue: Value?
}

package struct EnumerationModel: Hashable, Sendable {
    package struct Case: Hashable, Sendable {
        package var value: String
        package var name: String
        package var description: String?
    }

    package var name: String
    package var swiftName: String
    package var description: String?
    package var cases: [Case]
}

package struct InputModel: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package var name: String
        package var swiftName: String
        package var description: String?
        package var type: SchemaTypeReference
        /// The field has a default in the schema, so that it need not be given.
        package var hasDefault: Bool
    }

    package var name: String
    package var swiftName: String
    package var description: String?
    package var fields: [Field]
}
