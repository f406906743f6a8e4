/// A parsed document: what was written, in the order written, with places. Whether names exist is for who uses it.
package struct Document: Hashable, Sendable {
    /// At least one. Bound: ``DocumentLimits/definitionCountMax``.
    package var definitions: [Definition]

    package init(definitions: [Definition]) {
        self.definitions = definitions
    }
}

extension Document {
    /// What stands at the top of a document.
    package enum Definition: Hashable, Sendable {
        case schema(SchemaDefinition)
        case type(TypeDefinition)
        case directive(DirectiveDefinition)
    }
}
