import TidemarkModel

/// A library and the state of its log, as a journal stores them.
public struct LibraryRecord: Hashable, Sendable {
    /// The library's index.
    public var index: LibraryIndex
    /// The library's id.
    public var name: ByteString
    /// The name of the log; nil while no event has named one.
    public var epoch: ByteString?
    /// How often the log was replaced by a new one; grows by one each time.
    public var generation: UInt32
    /// The last sequence that was applied or skipped; nil before the first sequenced event.
    public var cursor: EventSequence?
    /// True if events were lost, or the log was replaced, since a query was last refreshed.
    public var isStale: Bool
    /// The ranges of lost sequences, ascending and never adjacent.
    public var lost: [LostRange]
    /// The number of the library's entities in the journal, this flush included.
    public var entityCount: Int64
    /// The highest position of a response or a confirmation, while it is ahead of the cursor; otherwise nil.
    public var answeredThrough: EventSequence?
    /// The highest sequence known when a key's record was last forgotten; nil if none was in this generation. A late
    /// event at or below it does not write a key without a record.
    public var forgottenThrough: EventSequence?
    /// True if the library is stale only because sequences were lost.
    public var isStaleByLossAlone: Bool
    /// True if events can vanish from the log of this epoch without a trace.
    public var isUnknowable: Bool
    /// The highest position in the log at which lists became stale; nil if none did in this generation.
    public var staleThrough: EventSequence?
    /// True if a state is under way: from the reset that began it to the heartbeat that ends it.
    public var isInState: Bool
    /// True if the last heartbeat said that the log's source is stale itself.
    public var isSourceStale: Bool

    /// Creates the record of a library.
    public init(
        index: LibraryIndex, name: ByteString, epoch: ByteString?, generation: UInt32,
        cursor: EventSequence?, isStale: Bool, lost: [LostRange], entityCount: Int64,
        answeredThrough: EventSequence? = nil, forgottenThrough: EventSequence? = nil, isStaleByLossAlone: Bool = false,
        isUnknowable: Bool = false, staleThrough: EventSequence? = nil, isInState: Bool = false,
        isSourceStale: Bool = false
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
        self.isInState = isInState
        self.isSourceStale = isSourceStale
    }

    /// The status as reported to users. The states `gap` and `reconciling` are never stored.
    package var status: LibraryStatus {
        LibraryStatus(
            library: name, epoch: epoch ?? "", cursor: cursor,
            phase: isStale || isSourceStale ? .stale : cursor == nil ? .cold : .live, lost: lost,
            isUnknowable: isUnknowable)
    }
}
