/// The pauses between attempts to send a request: full jitter.
///
/// Each pause is anything from nothing to a limit that doubles, so that many clients of one server that was away do not
/// come back together.
///
/// - Source: Protocol/optimistic.md, the outbox.
enum OutboxBackoff {
    /// The limit of the first pause: 1 s.
    static let first: Int64 = 1_000
    /// The highest limit of a pause: 5 min.
    static let last: Int64 = 300_000

    /// - Parameters:
    ///   - failureCount: The number of attempts in a row that failed; at least 1.
    ///   - random: 64 random bits.
    /// - Returns: Milliseconds.
    static func pause(after failureCount: Int, random: UInt64) -> Int64 {
        let limit = failureCount > 9 ? last : min(last, first << Int64(failureCount - 1))
        return Int64(random % UInt64(limit + 1))
    }
}
