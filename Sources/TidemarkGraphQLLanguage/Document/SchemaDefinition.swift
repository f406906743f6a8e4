/// A schema, `schema { query: … }`, or an `extend schema`.
package struct SchemaDefinition: Hashable, Sendable {
    /// The description; nil in an extension.
    package var description: StringValue?
    package var isExtension: Bool
    package var directives: [Directive]
    /// The root operations in the order written; empty only in an extension.
    package var roots: [Root]
    /// The place of the first word, which is `extend` in an extension.
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
    /// A root operation, such as `query: Query`.
    package struct Root: Hashable, Sendable {
        package var operation: OperationKind
        /// The place of the operation's word.
        package var place: SourcePlace
        package var type: Name

        package init(operation: OperationKind, type: Name, at place: SourcePlace) {
            self.operation = operation
            self.type = type
            self.place = place
        }
    }
}
