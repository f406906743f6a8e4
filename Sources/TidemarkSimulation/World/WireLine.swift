/// A line between a server and the cache.
struct WireLine {
    var text: String
    let library: String
    /// The server's log that the line belongs to.
    let log: Int
    /// The place from which a cache that knows nothing of the log continues after this line; nil when it names no
    /// place.
    let base: Int64?
    /// The number of its event in that log; nil when it is no event of the log.
    var sequence: Int64?
    /// Whether the line is an event of the log, usable or not.
    var isEvent = false
    /// Whether the line announces that the log begins anew.
    var isReset = false
    /// Whether the line is a heartbeat, which names the end of the log. After an upstream's answer has overtaken it, it
    /// seems to say that the log went back.
    var isHeartbeat = false
    /// Whether the line cannot be used.
    var isSpoiled = false
}
