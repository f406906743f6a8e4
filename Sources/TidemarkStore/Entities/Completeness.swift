/// How much of an entity is known. Evicted fields are unknown, which differs from absent.
///
/// - Source: Protocol/limits.md, fields that stay.
package enum Completeness: UInt8, Hashable, Sendable {
    /// Everything is known.
    case whole = 1
    /// Only the fields that stay are known.
    case reduced
    /// The fields that stay are known, and those that were merged into the entity since its eviction.
    case partial
    /// The entity was reduced, and a response has supplied its fields since.
    case answered

    /// True if rules can be evaluated over the entity: a field that is not stored then counts as absent, not as
    /// unknown.
    package var isEvaluable: Bool { self == .whole || self == .answered }

    /// Returns the completeness after a write of single fields.
    func after(_ writer: EntityStamp.Writer) -> Completeness {
        switch (self, writer) {
        case (.whole, _): .whole
        case (_, .answer), (_, .confirmation), (_, .document): .answered
        case (.reduced, _): .partial
        case (.partial, _), (.answered, _): self
        }
    }

    /// Reads the completeness of an entity that a journal returned; `.whole` if the bytes do not say.
    ///
    /// - Parameter fields: The bytes of ``StoredEntity/fields``.
    package init(fields: some Collection<UInt8>) {
        self = fields.first.flatMap { Completeness(rawValue: $0) } ?? .whole
    }
}
