/// An argument of a field or a directive, or a field of an input type.
package struct InputValueDefinition: Hashable, Sendable {
    package var description: StringValue?
    package var name: Name
    package var type: TypeReference
    /// The value after `=`; nil when there is none.
    package var defaultValue: Value?
    package var directives: [Directive]

    package init(
        description: StringValue?, name: Name, type: TypeReference, defaultValue: Value?, directives: [Directive]
    ) {
        self.description = description
        self.name = name
        self.type = type
        self.defaultValue = defaultValue
        self.directives = directives
    }
}
