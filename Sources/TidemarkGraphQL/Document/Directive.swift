/// `@name(argument: value)` on a definition.
package struct Directive: Hashable, Sendable {
    package var name: Name
    /// In the order written, repeated names included.
    package var arguments: [NamedValue]
    /// Of the `@`.
    package var place: SourcePlace

    package init(name: Name, arguments: [NamedValue], at place: SourcePlace) {
        self.name = name
        self.arguments = arguments
        self.place = place
    }
}
