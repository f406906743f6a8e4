/// How old an object or a field may be in one read, and which rule says so.
package struct AgeLimit: Hashable, Sendable {
    /// The age at which the value is stale, in seconds; nil for never.
    package var seconds: Int?
    /// Where the limit was set.
    package var origin: Origin

    package init(seconds: Int?, origin: Origin) {
        self.seconds = seconds
        self.origin = origin
    }

    /// No limit: no rule applies, and the value is never stale.
    package static let unlimited = AgeLimit(seconds: nil, origin: .none)
}

extension AgeLimit {
    /// Where a limit was set, from the least specific place to the most.
    package enum Origin: UInt8, Hashable, Sendable, Comparable {
        /// Nowhere: no rule applies.
        case none
        /// By the policy's rule for a type.
        case schemaType
        /// By the policy's rule for a field.
        case schemaField
        /// By the read's rule for a type.
        case operationType
        /// By the read's rule for a field.
        case operationField

        /// True if the read itself set the limit.
        package var isOperation: Bool { self >= .operationType }

        package static func < (left: Origin, right: Origin) -> Bool { left.rawValue < right.rawValue }
    }
}
