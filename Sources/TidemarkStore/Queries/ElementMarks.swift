/// The reasons why an element of a list is shown at its place, or is not.
package struct ElementMarks: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The element's entity is in no tier.
    package static let isMissing = ElementMarks(rawValue: 1)
    /// A layer hides the element here: it shows nothing, or shows the entity at another place.
    package static let isCovered = ElementMarks(rawValue: 2)
    /// A layer shows the element although its entity is in no tier.
    package static let isSupplied = ElementMarks(rawValue: 4)
    /// Only layers put the element here: without them it is not in the list.
    package static let isExtra = ElementMarks(rawValue: 8)
    /// Some layer has a change for the element's entity.
    package static let isLayered = ElementMarks(rawValue: 16)

    package var isShown: Bool {
        !contains(.isCovered) && (!contains(.isMissing) || contains(.isSupplied))
    }

    /// Whether the element is hidden only because its entity is in no tier.
    var isMissed: Bool { contains(.isMissing) && isDisjoint(with: [.isCovered, .isSupplied]) }
}
