/// The part of an entity that is known: evicted fields count as evicted, not as absent.
///
/// - Source: Protocol/limits.md, fields that stay.
package enum Completeness: UInt8, Hashable, Sendable {
    /// Everything is known.
    case whole = 1
    /// Only the fields that stay are known.
    case reduced
    /// The fields that stay are known, and fields that were merged into them since.
    case partial
    /// The entity was reduced, and then an answer brought its fields.
    case answered

    /// Whether rules can be evaluated over the entity: a field that they do not find is then absent, rather than
    /// unknown.
    package var isEvaluable: Bool { self == .whole || self == .answered }

    /// Returns the completeness after fields were written.
    func after(_ writer: EntityStamp.Writer) -> Completeness {
        switch (self, writer) {
        case (.whole, _): .whole
        case (_, .answer), (_, .confirmation), (_, .document): .answered
        case (.reduced, _): .partial
        case (.partial, _), (.answered, _): self
        }
    }

    /// Reads the completeness of an entity that a journal returned.
    ///
    /// - Parameter fields: The bytes of ``StoredEntity/fields``.
    package init(fields: some Collection<UInt8>) {
        self = fields.first.flatMap { Completeness(rawValue: $0) } ?? .whole
    }
}
