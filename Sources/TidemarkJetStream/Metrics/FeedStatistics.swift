/// The numbers of a feed since it was made, and its state now.
public struct FeedStatistics: Hashable, Sendable {
    /// The messages that were read, of libraries of others too.
    public var messageCount: Int64 = 0
    /// The bytes of their bodies.
    public var byteCount: Int64 = 0
    /// The messages that a server sent again after they were read. They are dropped.
    public var redeliveryCount: Int64 = 0
    /// The times that the connection was lost and made again.
    public var reconnectCount: Int64 = 0
    /// The consumers that were made: one at the beginning, and one for each that was lost.
    public var consumerCount: Int64 = 0
    /// The errors after which reading continued.
    public var errorCount: Int64 = 0
    /// The number of the last message that was read; 0 before the first.
    public var sequence: Int64 = 0
    /// The messages of the stream that were not read yet, as the server said last.
    public var lag: Int64 = 0
    /// Whether a server was connected when the reader looked last.
    public var isConnected = false

    public init() {}
}
