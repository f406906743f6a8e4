/// How old an object or a field may be in one read, and who said so.
package struct AgeLimit: Hashable, Sendable {
    /// Stale at this age; nil never.
    package var seconds: Int?
    package var origin: Origin

    package init(seconds: Int?, origin: Origin) {
        self.seconds = seconds
        self.origin = origin
    }

    /// Never stale, because nothing says otherwise.
    package static let unlimited = AgeLimit(seconds: nil, origin: .none)
}

extension AgeLimit {
    /// Who set a limit, from the least specific to the most.
    package enum Origin: UInt8, Hashable, Sendable, Comparable {
        case none
        case schemaType
        case schemaField
        case operationType
        case operationField

        /// The read itself asked for it.
        package var isOperation: Bool { self >= .operationType }

        package static func < (left: Origin, right: Origin) -> Bool { left.rawValue < right.rawValue }
    }
}
