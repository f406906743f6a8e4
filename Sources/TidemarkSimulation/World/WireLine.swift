/// A line between a server and the cache.
struct WireLine {
    var text: String
    let library: String
    /// The server's log that the line belongs to.
    let log: Int
    /// The position from which a cache without knowledge of the log continues after this line; nil if the line names
    /// none.
    let base: Int64?
    /// The sequence of its event in that log; nil if it is not an event of the log.
    var sequence: Int64?
    /// True if the line is an event of the log, usable or not.
    var isEvent = false
    /// True if the line announces that the log begins anew.
    var isReset = false
    /// True for a heartbeat, which names the end of the log. If an upstream's answer has overtaken it, it looks as if
    /// the log had gone back.
    var isHeartbeat = false
    /// True if the line is unusable.
    var isSpoiled = false
}
