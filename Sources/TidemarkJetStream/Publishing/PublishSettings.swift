import TidemarkModel

/// The settings for publishing lines.
public struct PublishSettings: Hashable, Sendable {
    /// The source of the id by which a repeated message is recognized, for a line with neither a mutation id nor a
    /// number.
    public enum IDSource: String, Sendable, CaseIterable {
        /// The number of the line, behind the prefix.
        case line
        /// A hash of the line's bytes.
        case content
    }

    /// The library of lines that name none.
    public var library = ByteString("")
    /// The source of the id of a line with neither a mutation id nor a number; nil: it has none.
    public var idSource: IDSource?
    /// The part of ids by line number before the number.
    public var idPrefix = ""
    /// Whether others publish to the same libraries: then each line waits for the one before.
    public var isShared = false
    /// Whether a line that is larger than the server admits is skipped and counted.
    public var skipsOversize = false
    /// The seconds without a server after which publishing ends.
    public var patience = 30.0

    public init() {}
}

/// The result of publishing.
public struct PublishSummary: Hashable, Sendable {
    /// The lines that were read, blank ones included.
    public var lineCount: Int64 = 0
    /// The lines that the stream has now because of this run.
    public var publishedCount: Int64 = 0
    /// The lines that the stream had already.
    public var duplicateCount: Int64 = 0
    /// The lines that are no event, but for blank ones, and those that were too large.
    public var skippedCount: Int64 = 0
    /// The number of the last message; nil before the first.
    public var lastSequence: Int64?

    public init() {}
}
