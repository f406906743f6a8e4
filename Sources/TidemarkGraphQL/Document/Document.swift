/// A parsed document: its definitions in the order written, with their places. The parser does not check whether names
/// exist.
package struct Document: Hashable, Sendable {
    /// The definitions; there is at least one. Bound: ``DocumentLimits/definitionCountMax``.
    package var definitions: [Definition]

    package init(definitions: [Definition]) {
        self.definitions = definitions
    }
}

extension Document {
    /// A definition at the top level of a document.
    package enum Definition: Hashable, Sendable {
        case schema(SchemaDefinition)
        case type(TypeDefinition)
        case directive(DirectiveDefinition)
    }
}
