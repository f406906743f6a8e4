/// Counts of a ``JetStreamFeed`` since it was created, and its current position.
public struct FeedStatistics: Hashable, Sendable {
    /// How many messages were read, including those of libraries outside the address's scope.
    public var messageCount: Int64 = 0
    /// The bytes of all received bodies, redeliveries included.
    public var byteCount: Int64 = 0
    /// How many messages a server delivered again after they were read. They are dropped.
    public var redeliveryCount: Int64 = 0
    /// How often the connection was lost and reestablished.
    public var reconnectCount: Int64 = 0
    /// How many consumers were created: one at the beginning, and one after each that was lost.
    public var consumerCount: Int64 = 0
    /// How many errors occurred after which reading continued.
    public var errorCount: Int64 = 0
    /// The stream sequence of the last message read; 0 before the first.
    public var sequence: Int64 = 0
    /// How many messages of the stream are still unread, as last reported by the server.
    public var lag: Int64 = 0
    /// True if a server was connected at the reader's last check.
    public var isConnected = false

    /// Creates statistics in which everything is zero.
    public init() {}
}
