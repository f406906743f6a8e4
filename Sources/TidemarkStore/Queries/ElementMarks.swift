/// Why an element of a list is shown at its place, or hidden there.
package struct ElementMarks: OptionSet, Hashable, Sendable {
    /// The marks as bits.
    package let rawValue: UInt8

    /// Creates marks from their bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The element's entity is in neither memory nor the journal.
    package static let isMissing = ElementMarks(rawValue: 1)
    /// A layer hides the element here: the entity is shown nowhere, or at another place.
    package static let isCovered = ElementMarks(rawValue: 2)
    /// A layer shows the element although its entity is in neither tier.
    package static let isSupplied = ElementMarks(rawValue: 4)
    /// Only layers put the element here. Without them it is not in the list.
    package static let isExtra = ElementMarks(rawValue: 8)
    /// Some layer changes the element's entity.
    package static let isLayered = ElementMarks(rawValue: 16)

    /// True if readers and observers see the element.
    package var isShown: Bool {
        !contains(.isCovered) && (!contains(.isMissing) || contains(.isSupplied))
    }

    /// True if the element is hidden only because its entity is in neither tier.
    var isMissed: Bool { contains(.isMissing) && isDisjoint(with: [.isCovered, .isSupplied]) }
}
