/// A line between a server and the cache.
struct WireLine {
    var text: String
    let library: String
    /// The server's log that it is of.
    let log: Int
    /// From where a cache that knows nothing of the log goes on when it hears the line; nil: of no place.
    let base: Int64?
    /// The number of its event in that log; nil: it is no event of the log.
    var sequence: Int64?
    /// It is an event of the log, usable or not.
    var isEvent = false
    /// It says that the log begins anew.
    var isReset = false
    /// It says up to where the log goes. One that an upstream's answer overtook says that the log went back.
    var isHeartbeat = false
    /// It cannot be used.
    var isSpoiled = false
}
