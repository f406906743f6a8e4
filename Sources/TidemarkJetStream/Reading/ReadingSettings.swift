/// How a ``JetStreamFeed`` reads a stream.
public struct ReadingSettings: Hashable, Sendable {
    /// Where an event's sequence is taken from.
    public enum Numbering: String, Sendable, CaseIterable {
        /// The message's sequence in its stream; the epoch is the stream's, too.
        case stream
        /// The `sequence` of the body, with its `prev` and `epoch`.
        case body
    }

    /// Where reading begins for a database without a cursor.
    public enum Start: String, Sendable, CaseIterable {
        /// With the first message of the stream.
        case first
        /// With the next message that is published.
        case new
    }

    /// Where the sequences of events are taken from. The stream by default.
    public var numbering = Numbering.stream
    /// Where reading begins for a database without a cursor. The first message by default.
    public var start = Start.first
    /// True to end at the message that was the stream's last when reading began; false to read until stopped.
    public var endsCaughtUp = false
    /// How long to try until a server and the stream are found; nil, the default, tries without limit.
    public var firstContactTimeout: Duration?

    /// Creates the default settings.
    public init() {}
}
