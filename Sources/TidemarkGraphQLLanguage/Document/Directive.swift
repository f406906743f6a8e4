/// A directive on a definition: `@name(argument: value)`.
package struct Directive: Hashable, Sendable {
    package var name: Name
    /// The arguments in the order written, including repeated names.
    package var arguments: [NamedValue]
    /// The place of the `@`.
    package var place: SourcePlace

    package init(name: Name, arguments: [NamedValue], at place: SourcePlace) {
        self.name = name
        self.arguments = arguments
        self.place = place
    }
}
