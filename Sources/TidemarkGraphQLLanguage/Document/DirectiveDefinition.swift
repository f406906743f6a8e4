/// The definition of a directive: `directive @name(…) repeatable on LOCATION | LOCATION`.
package struct DirectiveDefinition: Hashable, Sendable {
    package var description: StringValue?
    package var name: Name
    package var arguments: [InputValueDefinition]
    package var isRepeatable: Bool
    /// The locations in the order written; there is at least one.
    package var locations: [Location]
    /// The place of the word `directive`.
    package var place: SourcePlace

    package init(
        description: StringValue?, name: Name, arguments: [InputValueDefinition], isRepeatable: Bool,
        locations: [Location], at place: SourcePlace
    ) {
        self.description = description
        self.name = name
        self.arguments = arguments
        self.isRepeatable = isRepeatable
        self.locations = locations
        self.place = place
    }
}

extension DirectiveDefinition {
    /// One location after `on`.
    package struct Location: Hashable, Sendable {
        package var location: DirectiveLocation
        package var place: SourcePlace

        package init(_ location: DirectiveLocation, at place: SourcePlace) {
            self.location = location
            self.place = place
        }
    }
}
