/// A parsed document of type definitions in their original order, with their places. The parser does not check whether
/// names exist.
package struct Document: Hashable, Sendable {
    /// The definitions; at least one. Bounded by ``DocumentLimits/definitionCountMax``.
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
