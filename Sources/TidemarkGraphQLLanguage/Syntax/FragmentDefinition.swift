import TidemarkModel

/// A fragment: `fragment Name on Type @directive { … }`.
package struct FragmentDefinition: Hashable, Sendable {
    /// The name, which is never `on`.
    package var name: Name
    package var typeCondition: Name
    package var directives: [Directive]
    /// The selections; at least one.
    package var selections: [Selection]
    /// The place of the word `fragment`.
    package var place: SourcePlace

    package init(
        name: Name, typeCondition: Name, directives: [Directive], selections: [Selection], at place: SourcePlace
    ) {
        self.name = name
        self.typeCondition = typeCondition
        self.directives = directives
        self.selections = selections
        self.place = place
    }
}
