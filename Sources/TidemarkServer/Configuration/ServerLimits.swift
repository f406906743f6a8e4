import TidemarkModel

/// The bounds of a ``CacheServer``. Each has a default.
///
/// - Source: Protocol/serving.md, limits.
public struct ServerLimits: Hashable, Sendable {
    /// The maximum number of concurrent connections: 1,000. Further ones are answered with 503.
    public var connectionCountMax = 1_000
    /// The maximum number of notification streams, including those that can still be resumed: 100. Further ones are
    /// answered with 429.
    public var streamCountMax = 100
    /// The maximum size of a request line and its header fields: 16 KiB. Larger ones are answered with 431.
    public var headByteCountMax = 16 << 10
    /// The maximum size of a JSON-RPC message or batch: 16 MiB. Larger ones are answered with 413.
    public var messageByteCountMax = 16 << 20
    /// How long a client may take to send a request's head: 10 s. Slower requests are answered with
    /// 408.
    public var headTimeout: Duration = .seconds(10)
    /// How long to wait for the next byte of a request body: 30 s. Slower requests are answered with
    /// 408.
    public var bodyTimeout: Duration = .seconds(30)
    /// How long a connection may be idle between two requests: 75 s.
    public var idleTimeout: Duration = .seconds(75)
    /// How long a client may take none of the bytes sent to it before its connection ends: 15 s. The system
    /// measures it, on Linux only, in whole milliseconds up to 2^31 - 1; at 0 or less the system decides, which takes
    /// minutes.
    public var sendTimeout: Duration = .seconds(15)
    /// The interval between comments on an idle stream: 15 s.
    public var commentInterval: Duration = .seconds(15)
    /// How long a stream can be resumed after its connection was cut: 60 s.
    public var resumeTimeout: Duration = .seconds(60)
    /// The maximum size of a stream's unsent notifications: 1 MiB. Past it the cache merges changes.
    public var waitingByteCountMax = 1 << 20
    /// The maximum size of a stream's sent notifications that are kept so that it can be resumed: 2 MiB.
    public var sentByteCountMax = 2 << 20
    /// The maximum size of a stream's unsent late answers: 16 MiB. Past it the stream ends.
    public var lateAnswerByteCountMax = 16 << 20
    /// The memory budget of all streams together: 96 MiB. One third holds sent notifications and one sixth holds unsent
    /// ones, each divided equally among the streams; one half holds the unsent late answers of all streams.
    public var streamByteCountMax = 96 << 20
    /// The maximum number of concurrent exports: 4. Further ones are answered with 503.
    public var exportCountMax = 4
    /// How long a shutdown waits for running responses: 3 s.
    public var shutdownTimeout: Duration = .seconds(3)

    /// Creates limits with the default values.
    public init() {}

    /// Returns the limits of one stream among `count`: shared budgets are divided equally.
    func shared(among count: Int) -> ServerLimits {
        var shared = self
        shared.sentByteCountMax = min(sentByteCountMax, streamByteCountMax / 3 / max(1, count))
        shared.waitingByteCountMax = min(waitingByteCountMax, streamByteCountMax / 6 / max(1, count))
        return shared
    }

    /// ``sendTimeout`` clamped to the range of the socket option: 0 to 2^31 - 1.
    package var sendTimeoutOption: Int32 { Int32(clamping: max(0, sendTimeout.wholeMilliseconds)) }
}
