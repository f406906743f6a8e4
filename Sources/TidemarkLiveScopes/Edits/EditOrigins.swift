import TidemarkModel
import TidemarkScopes

/// Whose edits are under way, so that the event that confirms one is known as its author's.
///
/// At most ``countMax``; the oldest is then forgotten, and its author is not told by which event it was confirmed.
struct EditOrigins {
    /// The author of an edit, and the scope through which it was made.
    struct Origin {
        let edit: ScopeEdit
        let scope: ByteString

        /// The origin of a unit.
        func origin(in library: ScopeLibrary) -> ScopeOrigin {
            ScopeOrigin(edit, through: library.served[scope]?.handle)
        }
    }

    private static let countMax = 100_000

    private var origins: [ByteString: Origin] = [:]
    private var order: [ByteString] = []

    /// Notes an edit. Of two with one id, the first stays: it was handed on first.
    mutating func add(_ origin: Origin) {
        let id = origin.edit.mutationID
        guard origins[id] == nil else { return }
        origins[id] = origin
        order.append(id)
        guard order.count > 2 * EditOrigins.countMax || origins.count > EditOrigins.countMax else { return }
        order = order.filter { origins[$0] != nil }
        while origins.count > EditOrigins.countMax { origins[order.removeFirst()] = nil }
    }

    /// Returns the author of an edit, and forgets it: one event confirms it.
    mutating func take(_ mutationID: ByteString) -> Origin? { origins.removeValue(forKey: mutationID) }
}
