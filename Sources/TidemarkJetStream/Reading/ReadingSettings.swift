/// The settings of a reader of a stream.
public struct ReadingSettings: Hashable, Sendable {
    /// The source of an event's number.
    public enum Numbering: String, Sendable, CaseIterable {
        /// The number of the message in its stream.
        case stream
        /// The `sequence` of the body, with its `prev` and `epoch`.
        case body
    }

    /// The message at which a database without a cursor begins.
    public enum Start: String, Sendable, CaseIterable {
        /// Reading begins with the first message of the stream.
        case first
        /// Reading begins with the next message that is published.
        case new
    }

    public var numbering = Numbering.stream
    public var start = Start.first
    /// Whether reading ends at the message that was the last one when it began.
    public var endsCaughtUp = false
    /// The milliseconds in which a server and the stream must be found; nil: tried for ever.
    public var firstContactTimeout: Int64?

    public init() {}
}
