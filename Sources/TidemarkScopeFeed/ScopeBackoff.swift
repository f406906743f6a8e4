/// The pauses between two connections: random, from 0 to 1 s · 2^(n − 1) after n failures in a row, at most 30 s.
///
/// The randomness spreads the clients of a server that was restarted.
struct ScopeBackoff {
    /// The longest pause, in milliseconds.
    static let longest: Int64 = 30_000
    private static let first: Int64 = 1_000

    private var failureCount = 0

    /// Counts a failure, and returns the pause after it in milliseconds.
    ///
    /// - Parameters:
    ///   - random: 64 random bits.
    ///   - least: A pause that the server asked for, in milliseconds.
    mutating func pause(random: UInt64, least: Int64 = 0) -> Int64 {
        failureCount = min(failureCount + 1, 16)
        let bound = min(ScopeBackoff.longest, ScopeBackoff.first << Int64(failureCount - 1))
        return max(least, Int64(random % UInt64(bound + 1)))
    }

    /// Records that a connection brought lines.
    mutating func succeeded() { failureCount = 0 }
}
