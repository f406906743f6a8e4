/// The age limit of an object or a field in one read, with its origin.
package struct AgeLimit: Hashable, Sendable {
    /// The age in seconds at which the value is stale; nil: never.
    package var seconds: Int?
    package var origin: Origin

    package init(seconds: Int?, origin: Origin) {
        self.seconds = seconds
        self.origin = origin
    }

    /// No limit: never stale, because no rule applies.
    package static let unlimited = AgeLimit(seconds: nil, origin: .none)
}

extension AgeLimit {
    /// The origin of a limit, from the least specific to the most.
    package enum Origin: UInt8, Hashable, Sendable, Comparable {
        case none
        case schemaType
        case schemaField
        case operationType
        case operationField

        /// Whether the read itself set the limit.
        package var isOperation: Bool { self >= .operationType }

        package static func < (left: Origin, right: Origin) -> Bool { left.rawValue < right.rawValue }
    }
}
