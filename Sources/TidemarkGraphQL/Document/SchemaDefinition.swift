/// `schema { query: … }`, or what `extend schema` adds.
package struct SchemaDefinition: Hashable, Sendable {
    /// nil in an extension.
    package var description: StringValue?
    package var isExtension: Bool
    package var directives: [Directive]
    /// In the order written; empty only in an extension.
    package var roots: [Root]
    /// Of the first word, `extend` included.
    package var place: SourcePlace

    package init(
        description: StringValue?, isExtension: Bool, directives: [Directive], roots: [Root], at place: SourcePlace
    ) {
        self.description = description
        self.isExtension = isExtension
        self.directives = directives
        self.roots = roots
        self.place = place
    }
}

extension SchemaDefinition {
    /// `query: Query`.
    package struct Root: Hashable, Sendable {
        package var operation: OperationKind
        /// Of the operation's word.
        package var place: SourcePlace
        package var type: Name

        package init(operation: OperationKind, type: Name, at place: SourcePlace) {
            self.operation = operation
            self.type = type
            self.place = place
        }
    }
}
