/// A field of an object type or an interface.
package struct FieldDefinition: Hashable, Sendable {
    package var description: StringValue?
    package var name: Name
    package var arguments: [InputValueDefinition]
    package var type: TypeReference
    package var directives: [Directive]

    package init(
        description: StringValue?, name: Name, arguments: [InputValueDefinition], type: TypeReference,
        directives: [Directive]
    ) {
        self.description = description
        self.name = name
        self.arguments = arguments
        self.type = type
        self.directives = directives
    }
}
