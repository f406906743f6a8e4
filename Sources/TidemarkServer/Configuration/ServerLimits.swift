/// The bounds of a server; each has a default.
///
/// - Source: Protocol/serving.md, limits.
public struct ServerLimits: Hashable, Sendable {
    /// The connections at a time: 1,000. A further one is answered with 503.
    public var connectionCountMax = 1_000
    /// The streams of notifications at a time, those included that may still be resumed: 100. A further one is
    /// answered with 429.
    public var streamCountMax = 100
    /// The bytes of a request's line and fields: 16 KiB. More are answered with 431.
    public var headByteCountMax = 16 << 10
    /// The bytes of a JSON-RPC message or batch: 16 MiB. More are answered with 413.
    public var messageByteCountMax = 16 << 20
    /// The milliseconds until a request's head is complete: 10 s. Then it is answered with 408.
    public var headTimeout: Int64 = 10_000
    /// The milliseconds without a byte of a body that is being read: 30 s. Then it is answered with 408.
    public var bodyTimeout: Int64 = 30_000
    /// The milliseconds that a connection may be idle between two requests: 75 s.
    public var idleTimeout: Int64 = 75_000
    /// The milliseconds in which a client takes no byte of those that were sent, after which its connection ends: 15 s.
    /// The system measures them, up to 2^31 - 1, on Linux alone; with 0 or less it decides by itself, after minutes.
    public var sendTimeout: Int64 = 15_000
    /// The milliseconds between two comments on an idle stream: 15 s.
    public var commentInterval: Int64 = 15_000
    /// The milliseconds in which a stream that was cut may be resumed: 60 s.
    public var resumeTimeout: Int64 = 60_000
    /// The bytes of notifications that wait for a client before changes are merged: 1 MiB.
    public var waitingByteCountMax = 1 << 20
    /// The bytes of notifications that were sent and are kept for a resumption: 2 MiB.
    public var sentByteCountMax = 2 << 20
    /// The bytes of late answers that wait for a client before its stream ends: 16 MiB.
    public var lateAnswerByteCountMax = 16 << 20
    /// The bytes that all streams together keep and have waiting: 96 MiB. A third of it is for what was sent, a sixth
    /// for notifications that wait, each divided among the streams; half of it is for all late answers that wait.
    public var streamByteCountMax = 96 << 20
    /// The exports at a time: 4. A further one is answered with 503.
    public var exportCountMax = 4
    /// The milliseconds that a shutdown waits for running answers: 3 s.
    public var shutdownTimeout: Int64 = 3_000

    public init() {}

    /// Returns the bounds of one of several streams: what all of them may take is divided among them.
    func shared(among count: Int) -> ServerLimits {
        var shared = self
        shared.sentByteCountMax = min(sentByteCountMax, streamByteCountMax / 3 / max(1, count))
        shared.waitingByteCountMax = min(waitingByteCountMax, streamByteCountMax / 6 / max(1, count))
        return shared
    }

    /// ``sendTimeout`` in the range of the socket's option: 0 to 2^31 - 1.
    package var sendTimeoutOption: Int32 { Int32(clamping: max(0, sendTimeout)) }
}
