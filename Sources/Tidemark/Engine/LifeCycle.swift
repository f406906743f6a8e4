/// The stages in the life of a cache.
///
///     open ◄─resume── suspended ◄─rest─ suspending ◄─beginSuspending── open
///     any of them ──beginClosing──► closing ──seal──► closed
///
/// A cache that is closing or closed refuses every new call with one error. Calls that wait for the journal when
/// closing begins still finish, and their changes are in the last flush. A cache that is suspending or suspended
/// refuses changes, and answers reads from memory.
enum LifeCycle {
    case open
    /// Calls under way finish; new changes are refused. Flushes go on.
    case suspending
    /// The journal has no file open. Nothing is written.
    case suspended
    /// Calls under way finish; new ones are refused.
    case closing
    /// The last flush has begun. Nothing changes any more.
    case closed

    /// True if new calls are accepted, changes included.
    var isOpen: Bool { self == .open }

    /// True if new calls are refused, because the cache is closed or closing.
    var isClosed: Bool { self == .closing || self == .closed }

    /// True if the journal has no file open until the cache is resumed or closed.
    var isSuspended: Bool { self == .suspended }

    /// True if changes of calls under way still reach a flush.
    var acceptsChanges: Bool { self != .closed }

    /// Refuses new changes from now on.
    ///
    /// - Returns: False when the cache is not open.
    mutating func beginSuspending() -> Bool {
        guard self == .open else { return false }
        self = .suspending
        return true
    }

    /// Stops all flushes, because the journal is about to close its file.
    mutating func rest() {
        precondition(self == .suspending, "a cache that is \(self) comes to rest")
        self = .suspended
    }

    /// Accepts changes and writes them again.
    mutating func resume() {
        precondition(self == .suspended, "a cache that is \(self) is resumed")
        self = .open
    }

    /// Refuses new calls from now on.
    ///
    /// - Returns: False when the cache is closed or closing already.
    mutating func beginClosing() -> Bool {
        guard !isClosed else { return false }
        self = .closing
        return true
    }

    /// Refuses the changes of calls that are under way, before the last flush begins.
    mutating func seal() {
        precondition(self == .closing, "a cache that is \(self) is sealed")
        self = .closed
    }
}
