/// The status of one library's log, as the summary and `library.state` report it.
public struct LibraryStatus: Hashable, Sendable {
    public var library: ByteString
    /// The epoch of the log; empty when the log names none.
    public var epoch: ByteString
    /// The last applied sequence; nil before the first.
    public var cursor: EventSequence?
    public var phase: LibraryPhase
    /// The lost ranges, ascending, never adjacent.
    public var lost: [LostRange]
    /// Whether events can disappear from this log without a trace, so that nobody can know whether more are missing
    /// than ``lost``. True for a stream that many libraries share.
    public var isUnknowable: Bool

    public init(
        library: ByteString, epoch: ByteString, cursor: EventSequence?, phase: LibraryPhase,
        lost: [LostRange], isUnknowable: Bool = false
    ) {
        self.library = library
        self.epoch = epoch
        self.cursor = cursor
        self.phase = phase
        self.lost = lost
        self.isUnknowable = isUnknowable
    }
}
