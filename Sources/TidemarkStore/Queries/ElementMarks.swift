/// Why an element of a list is shown at its place, or is not.
package struct ElementMarks: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Its entity is in no tier.
    package static let isMissing = ElementMarks(rawValue: 1)
    /// A layer takes it away from here: it shows nothing, or shows it at another place.
    package static let isCovered = ElementMarks(rawValue: 2)
    /// A layer shows it although its entity is in no tier.
    package static let isSupplied = ElementMarks(rawValue: 4)
    /// Layers alone put it here: without them it is not in the list.
    package static let isExtra = ElementMarks(rawValue: 8)
    /// Some layer has a change for its entity.
    package static let isLayered = ElementMarks(rawValue: 16)

    package var isShown: Bool {
        !contains(.isCovered) && (!contains(.isMissing) || contains(.isSupplied))
    }

    /// Whether it would be shown if its entity were somewhere.
    var isMissed: Bool { contains(.isMissing) && isDisjoint(with: [.isCovered, .isSupplied]) }
}
