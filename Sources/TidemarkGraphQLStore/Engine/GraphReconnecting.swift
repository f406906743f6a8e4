import Tidemark

/// The pauses before a subscription whose connection was lost is asked for again.
///
/// The pause doubles from ``pauseMin`` to ``pauseMax``, and each is chosen at random between half of it and all of it,
/// so that the clients of a server that was away do not come back at one moment.
///
/// - Source: Protocol/graphql.md, subscriptions.
public struct GraphReconnecting: Hashable, Sendable {
    /// The attempts in a row, without anything that comes, after which a subscription ends with its error; 0: none.
    public var attemptCountMax = 5
    /// The pause before the first attempt, in milliseconds.
    public var pauseMin: Int64 = 1_000
    /// The longest pause, in milliseconds.
    public var pauseMax: Int64 = 60_000

    public init() {}

    /// Returns the pause before an attempt, in milliseconds.
    ///
    /// - Parameters:
    ///   - attempt: 1 for the first attempt after a connection that worked.
    ///   - random: A number from 0 to 1.
    func pause(attempt: Int, random: Double) -> Int64 {
        var pause = max(1, pauseMin)
        for _ in 1..<max(1, min(attempt, 62)) where pause < pauseMax { pause = min(pause &* 2, pauseMax) }
        return pause / 2 + Int64(Double(pause - pause / 2) * min(max(random, 0), 1))
    }
}

extension UpstreamError {
    /// Whether the same may work again: the connection broke, or the server is overloaded.
    var isConnectionLost: Bool {
        switch code {
        case "connection_lost", "timed_out", "premature_end", "truncated", "offline", "unavailable": true
        default: false
        }
    }
}
