import TidemarkModel

/// How event lines are published to a stream.
public struct PublishSettings: Hashable, Sendable {
    /// The source of the message id, by which a server recognizes duplicates, for a line with neither a mutation id nor
    /// a sequence.
    public enum IDSource: String, Sendable, CaseIterable {
        /// The prefix ``PublishSettings/idPrefix``, then the line's number in its input.
        case line
        /// A 128-bit hash of the line's bytes.
        case content
    }

    /// The library of lines that name none. The empty id by default.
    public var library = ByteString("")
    /// The source of the message id for a line with neither a mutation id nor a sequence; nil, the default, sends it
    /// without.
    public var idSource: IDSource?
    /// The text before the line number in the ids of ``IDSource/line``.
    public var idPrefix = ""
    /// True if others publish to the same libraries. Each line then waits until the line before it is confirmed.
    public var isShared = false
    /// True to skip and count a line that is larger than the server accepts; false to end with an error.
    public var skipsOversize = false
    /// How many seconds to retry while no server stores messages. 30 by default.
    public var patience = 30.0

    /// Creates the default settings.
    public init() {}
}

/// The result of publishing.
public struct PublishSummary: Hashable, Sendable {
    /// How many lines were read, blank ones included.
    public var lineCount: Int64 = 0
    /// How many lines this run added to the stream.
    public var publishedCount: Int64 = 0
    /// How many lines the stream already had, as recognized by their message ids.
    public var duplicateCount: Int64 = 0
    /// How many lines were skipped: those that are no event, except blank ones, and those that were too large.
    public var skippedCount: Int64 = 0
    /// The highest stream sequence of a confirmed message; nil before the first.
    public var lastSequence: Int64?

    /// Creates a summary in which every count is zero.
    public init() {}
}
