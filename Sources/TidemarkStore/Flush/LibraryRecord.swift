import TidemarkModel

/// A library as the journal keeps it.
public struct LibraryRecord: Hashable, Sendable {
    public var index: LibraryIndex
    public var name: ByteString
    /// The log's epoch; nil while the log names none.
    public var epoch: ByteString?
    /// The number of logs that the library has had before: grows by one when an epoch ends.
    public var generation: UInt32
    /// The last applied or skipped sequence; nil before the first sequenced event.
    public var cursor: EventSequence?
    /// Whether something was lost or the log began anew since a query was last refreshed.
    public var isStale: Bool
    /// The lost ranges, ascending, never adjacent.
    public var lost: [LostRange]
    public var entityCount: Int64
    /// The highest sequence that an answer or a confirmation stands for, while that is ahead of the cursor; else nil.
    public var answeredThrough: EventSequence?
    /// The highest sequence that was known when something of a key was last forgotten; nil when nothing was forgotten
    /// in this generation.
    public var forgottenThrough: EventSequence?
    /// Whether the library is stale only because numbers were lost.
    public var isStaleByLossAlone: Bool
    /// Whether events can disappear from the log of this epoch without a trace.
    public var isUnknowable: Bool
    /// The highest place in the log at which something made lists stale; nil when nothing did in this generation.
    public var staleThrough: EventSequence?

    public init(
        index: LibraryIndex, name: ByteString, epoch: ByteString?, generation: UInt32,
        cursor: EventSequence?, isStale: Bool, lost: [LostRange], entityCount: Int64,
        answeredThrough: EventSequence? = nil, forgottenThrough: EventSequence? = nil, isStaleByLossAlone: Bool = false,
        isUnknowable: Bool = false, staleThrough: EventSequence? = nil
    ) {
        self.index = index
        self.name = name
        self.epoch = epoch
        self.generation = generation
        self.cursor = cursor
        self.isStale = isStale
        self.lost = lost
        self.entityCount = entityCount
        self.answeredThrough = answeredThrough
        self.forgottenThrough = forgottenThrough
        self.isStaleByLossAlone = isStaleByLossAlone
        self.isUnknowable = isUnknowable
        self.staleThrough = staleThrough
    }

    /// The status as it is reported to users; gap and reconciling are not stored.
    package var status: LibraryStatus {
        LibraryStatus(
            library: name, epoch: epoch ?? "", cursor: cursor,
            phase: isStale ? .stale : cursor == nil ? .cold : .live, lost: lost,
            isUnknowable: isUnknowable)
    }
}
