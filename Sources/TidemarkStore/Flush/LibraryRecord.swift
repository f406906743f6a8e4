import TidemarkModel

/// A library as the journal keeps it.
package struct LibraryRecord: Hashable, Sendable {
    package var index: LibraryIndex
    package var name: ByteString
    /// The log's epoch; nil while the log names none.
    package var epoch: ByteString?
    /// The number of logs that the library has had before: grows by one when an epoch ends.
    package var generation: UInt32
    /// The last applied or skipped sequence; nil before the first sequenced event.
    package var cursor: EventSequence?
    /// Whether something was lost or the log began anew since a query was last refreshed.
    package var isStale: Bool
    /// The lost ranges, ascending, never adjacent.
    package var lost: [LostRange]
    package var entityCount: Int64
    /// The highest sequence that an answer or a confirmation stands for, while that is ahead of the cursor; else nil.
    package var answeredThrough: EventSequence?
    /// The highest sequence that was known when something of a key was last forgotten; nil when nothing was forgotten
    /// in this generation.
    package var forgottenThrough: EventSequence?
    /// Whether the library is stale only because numbers were lost.
    package var isStaleByLossAlone: Bool

    package init(
        index: LibraryIndex, name: ByteString, epoch: ByteString?, generation: UInt32,
        cursor: EventSequence?, isStale: Bool, lost: [LostRange], entityCount: Int64,
        answeredThrough: EventSequence? = nil, forgottenThrough: EventSequence? = nil, isStaleByLossAlone: Bool = false
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
    }

    /// The status as it is reported to users; gap and reconciling are not stored.
    package var status: LibraryStatus {
        LibraryStatus(
            library: name, epoch: epoch ?? "", cursor: cursor,
            phase: isStale ? .stale : cursor == nil ? .cold : .live, lost: lost)
    }
}
