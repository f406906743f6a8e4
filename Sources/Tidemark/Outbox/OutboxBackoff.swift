/// The pauses between attempts to send a request, with full jitter.
///
/// Each pause is random, from zero up to a limit that doubles, so that the clients of a server that was down do not all
/// return at once.
///
/// - Source: Protocol/optimistic.md, the outbox.
enum OutboxBackoff {
    /// The limit of the first pause: 1 s.
    static let first: Int64 = 1_000
    /// The highest limit of a pause: 5 min.
    static let last: Int64 = 300_000

    /// Returns the pause after a number of failures, in milliseconds.
    ///
    /// - Parameters:
    ///   - failureCount: The number of attempts in a row that failed, at least 1.
    ///   - random: 64 random bits.
    static func pause(after failureCount: Int, random: UInt64) -> Int64 {
        let limit = failureCount > 9 ? last : min(last, first << Int64(failureCount - 1))
        return Int64(random % UInt64(limit + 1))
    }
}
