/// How far the cache follows one library's log.
///
/// ```swift
/// for status in await cache.libraries() where status.phase == .stale {
///     print(status.library, "lost", status.lost.map { "\($0.first.rawValue)-\($0.last.rawValue)" })
/// }
/// ```
public struct LibraryStatus: Hashable, Sendable {
    /// The library.
    public var library: ByteString
    /// The epoch of the log; empty when the log has no name.
    public var epoch: ByteString
    /// The last sequence up to which no number is awaited; nil before the first event or heartbeat.
    public var cursor: EventSequence?
    /// How the library relates to its log.
    public var phase: LibraryPhase
    /// The lost ranges, in ascending order, none next to another.
    public var lost: [LostRange]
    /// True if events can disappear from this log without a trace, so that more may be missing than ``lost``. This is
    /// so for a stream that many libraries share.
    public var isUnknowable: Bool

    /// Makes a status.
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
