/// The stages in the life of a cache.
///
///     open ──beginClosing──► closing ──seal──► closed
///
/// A cache that is not open refuses every call with one error. While it closes, calls that wait for the journal end,
/// and their changes are in the last flush.
enum LifeCycle {
    case open
    /// Calls that are under way end; others are refused.
    case closing
    /// The last flush has begun: nothing changes any more.
    case closed

    /// Whether calls are accepted.
    var isOpen: Bool { self == .open }

    /// Whether the changes of calls that are under way still reach the last flush.
    var acceptsChanges: Bool { self != .closed }

    /// Refuses new calls from now on.
    ///
    /// - Returns: false when the cache was closed, or is being closed, already.
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
