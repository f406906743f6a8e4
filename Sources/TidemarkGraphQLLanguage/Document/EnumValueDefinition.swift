/// One value of an enum.
package struct EnumValueDefinition: Hashable, Sendable {
    package var description: StringValue?
    package var name: Name
    package var directives: [Directive]

    package init(description: StringValue?, name: Name, directives: [Directive]) {
        self.description = description
        self.name = name
        self.directives = directives
    }
}
