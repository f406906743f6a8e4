/// The stages in the life of a cache.
///
///     open ──beginClosing──► closing ──seal──► closed
///
/// A cache that is not open refuses every new call with one error. Calls that wait for the journal when closing begins
/// still finish, and their changes are in the last flush.
enum LifeCycle {
    case open
    /// Calls under way finish; new ones are refused.
    case closing
    /// The last flush has begun. Nothing changes any more.
    case closed

    /// True if new calls are accepted.
    var isOpen: Bool { self == .open }

    /// True if changes of calls under way still reach the last flush.
    var acceptsChanges: Bool { self != .closed }

    /// Refuses new calls from now on.
    ///
    /// - Returns: False when the cache is closed or closing already.
    mutating func beginClosing() -> Bool {
        guard self == .open else { return false }
        self = .closing
        return true
    }

    /// Refuses the changes of calls that are under way, before the last flush begins.
    mutating func seal() {
        precondition(self == .closing, "a cache that is \(self) is sealed")
        self = .closed
    }
}
