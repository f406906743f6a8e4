import Tidemark

/// How a subscription reconnects after its connection was lost.
///
/// The pause doubles from ``pauseMin`` to ``pauseMax`` with each attempt. Each one is chosen at random between half of
/// it and all of it, so that the clients of a server that was down do not all return at once.
///
/// ```swift
/// var reconnecting = GraphReconnecting()
/// reconnecting.attemptCountMax = 20
/// reconnecting.pauseMax = 10_000
/// print(reconnecting.pauseMin)  // 1000
/// ```
///
/// - Source: Protocol/graphql.md, subscriptions.
public struct GraphReconnecting: Hashable, Sendable {
    /// How many attempts in a row may fail before the subscription ends with its error: 5; with 0 it never reconnects.
    /// Any payload or heartbeat resets the count.
    public var attemptCountMax = 5
    /// The pause before the first attempt, in milliseconds: 1 s.
    public var pauseMin: Int64 = 1_000
    /// The longest pause, in milliseconds: 60 s.
    public var pauseMax: Int64 = 60_000

    /// Creates the default settings.
    public init() {}

    /// Returns the pause before an attempt, in milliseconds.
    ///
    /// - Parameters:
    ///   - attempt: 1 for the first attempt after a working connection.
    ///   - random: A number from 0 to 1.
    func pause(attempt: Int, random: Double) -> Int64 {
        var pause = max(1, pauseMin)
        for _ in 1..<max(1, min(attempt, 62)) where pause < pauseMax { pause = min(pause &* 2, pauseMax) }
        return pause / 2 + Int64(Double(pause - pause / 2) * min(max(random, 0), 1))
    }
}

extension UpstreamError {
    /// True if another attempt may succeed, because the connection broke or the server was overloaded.
    var isConnectionLost: Bool {
        switch code {
        case "connection_lost", "timed_out", "premature_end", "truncated", "offline", "unavailable": true
        default: false
        }
    }
}
