/// How much of an entity is known: what room was made of may be gone, and counts as evicted, not as absent.
///
/// - Source: Protocol/limits.md, fields that stay.
package enum Completeness: UInt8, Hashable, Sendable {
    /// All there is.
    case whole = 1
    /// The fields that stay, and nothing else.
    case reduced
    /// The fields that stay, and what was merged into them since.
    case partial
    /// Reduced, and then an answer brought what answers have of it.
    case answered

    /// Whether rules may look at the entity: what they do not find is then not there, rather than unknown.
    package var isEvaluable: Bool { self == .whole || self == .answered }

    /// What it is after fields of it were written.
    func after(_ writer: EntityStamp.Writer) -> Completeness {
        switch (self, writer) {
        case (.whole, _): .whole
        case (_, .answer), (_, .confirmation): .answered
        case (.reduced, _): .partial
        case (.partial, _), (.answered, _): self
        }
    }

    /// Of an entity as a journal gives it back.
    ///
    /// - Parameter fields: As ``StoredEntity/fields``.
    package init(fields: some Collection<UInt8>) {
        self = fields.first.flatMap { Completeness(rawValue: $0) } ?? .whole
    }
}
