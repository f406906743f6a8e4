import Tidemark
import TidemarkModel

/// How a subscription reconnects after its connection was lost.
///
/// The pause doubles from ``pauseMin`` to ``pauseMax`` with each attempt. Each one is chosen at random between half of
/// it and all of it, so that the clients of a server that was down do not all return at once.
///
/// ```swift
/// var reconnecting = GraphQLReconnecting()
/// reconnecting.attemptCountMax = 20
/// reconnecting.pauseMax = .seconds(10)
/// print(reconnecting.pauseMin)  // 1.0 seconds
/// ```
///
/// - Source: Protocol/graphql.md, subscriptions.
public struct GraphQLReconnecting: Hashable, Sendable {
    /// How many attempts in a row may fail before the subscription ends with its error: 5; with 0 it never reconnects.
    /// Any payload or heartbeat resets the count.
    public var attemptCountMax = 5
    /// The pause before the first attempt: 1 s.
    public var pauseMin: Duration = .seconds(1)
    /// The longest pause: 60 s.
    public var pauseMax: Duration = .seconds(60)

    /// Creates the default settings.
    public init() {}

    /// Returns the pause before an attempt, in milliseconds.
    ///
    /// - Parameters:
    ///   - attempt: 1 for the first attempt after a working connection.
    ///   - random: A number from 0 to 1.
    func pause(attempt: Int, random: Double) -> Int64 {
        let longest = pauseMax.wholeMilliseconds
        var pause = max(1, pauseMin.wholeMilliseconds)
        for _ in 1..<max(1, min(attempt, 62)) where pause < longest {
            pause = min(pause.addingClamped(pause), longest)
        }
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
