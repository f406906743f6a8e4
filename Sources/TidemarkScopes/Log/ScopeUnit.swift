import TidemarkModel
import TidemarkViews

/// One unit at the source as one scope sees it: an event, a batch, a transaction or an answer.
struct ScopeUnit: Sendable {
    /// An entity with what the scope sent of it before the unit.
    struct Former: Sendable {
        let row: UseMoves.Row
        /// What the scope would have sent of the entity before the unit.
        let sent: [UInt8]
    }

    /// The entities that entered.
    var entered: [UseMoves.Row] = []
    /// The entities that stayed, and of which something else is sent now.
    var changed: [Former] = []
    /// The entities that left, with the reason.
    var left: [(former: Former, reason: DepartureReason)] = []
    /// The edit that the unit settles.
    var note: ScopeEdit?

    /// True if the unit changes nothing that the scope shows.
    var showsNothing: Bool { entered.isEmpty && changed.isEmpty && left.isEmpty }
}

/// Why an entity left a scope.
package enum DepartureReason: UInt8, Hashable, Sendable {
    /// It is outside the scope now.
    case scope
    /// It was deleted at the source.
    case deleted
}

/// An edit that the source confirmed.
package struct ScopeEdit: Hashable, Sendable {
    /// Whose edit it was.
    package let subject: ByteString
    /// Its `mutation_id`.
    package let mutationID: ByteString

    /// The longest `mutation_id` that is passed on: 1,024 bytes.
    static let idByteCountMax = 1_024

    /// Creates an edit.
    package init(subject: ByteString, mutationID: ByteString) {
        self.subject = subject
        self.mutationID = mutationID
    }
}
