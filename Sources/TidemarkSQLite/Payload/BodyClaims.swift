/// Who encodes which rows of a flush, and in which order they are written.
///
/// Chunks are claimed in the order of the rows and written in it; turn t uses chunk t modulo ``chunkCount``. The writer
/// claims one itself while the one it has to write is not ready, so that no processor waits for another as long as there
/// is anything to encode. At most ``chunkCount`` are claimed and not given back. One that is larger than an encoder's
/// room is claimed only when no other is, so there is one such buffer at a time.
struct BodyClaims {
    /// Chunks that exist: 8. An encoder keeps 256 KiB for each.
    static let chunkCount = 8
    /// Rows of a chunk: 256, some 0.4 ms of compressing. The last chunk of a flush has one thread only.
    static let rowCountMax = 256

    /// Rows for somebody to encode.
    struct Claim: Equatable {
        let turn: Int
        let rows: Range<Int>
        /// Which chunk they go into.
        var chunk: Int { turn % BodyClaims.chunkCount }
    }

    /// What a thread does next.
    enum Step: Equatable {
        case encode(Claim)
        /// The chunk's bodies, and how many rows are written with it; the writer only.
        case write(chunk: Int)
        case wait
        case leave
    }

    private let rowCount: Int
    /// The first row that nobody claimed.
    private var nextRow = 0
    /// Turns that were claimed, and turns that were written; their difference is at most `chunkCount`.
    private var claimedCount = 0
    private var writtenCount = 0
    /// By chunk: encoded and not written yet.
    private var isFilled = [Bool](repeating: false, count: BodyClaims.chunkCount)
    /// Nothing more is claimed: the writer is through, or gave up.
    private var isEnded = false
    /// Threads beside the writer that may be reading the flush.
    private(set) var helperCount = 0

    init(rowCount: Int) {
        self.rowCount = rowCount
    }

    /// - Returns: False when it came too late; then it must not look at the flush.
    mutating func enter() -> Bool {
        guard !isEnded else { return false }
        helperCount += 1
        return true
    }

    mutating func leave() {
        helperCount -= 1
    }

    /// - Parameter cut: ``BodySource/cut(from:)``.
    mutating func helperStep(_ cut: (Int) -> (end: Int, isLarge: Bool)) -> Step {
        guard !isEnded, nextRow < rowCount else { return .leave }
        return claim(cut).map { .encode($0) } ?? .wait
    }

    /// - Parameter cut: ``BodySource/cut(from:)``.
    mutating func writerStep(_ cut: (Int) -> (end: Int, isLarge: Bool)) -> Step {
        let chunk = writtenCount % BodyClaims.chunkCount
        if isFilled[chunk] { return .write(chunk: chunk) }
        if let claim = claim(cut) { return .encode(claim) }
        return writtenCount == claimedCount ? .leave : .wait
    }

    /// The rows of a claim are encoded.
    mutating func filled(_ claim: Claim) {
        isFilled[claim.chunk] = true
    }

    /// The chunk that ``writerStep(_:)`` gave out is written.
    mutating func written() {
        isFilled[writtenCount % BodyClaims.chunkCount] = false
        writtenCount += 1
    }

    mutating func end() {
        isEnded = true
    }

    private mutating func claim(_ cut: (Int) -> (end: Int, isLarge: Bool)) -> Claim? {
        guard nextRow < rowCount, claimedCount - writtenCount < BodyClaims.chunkCount else { return nil }
        let (end, isLarge) = cut(nextRow)
        guard !isLarge || claimedCount == writtenCount else { return nil }
        let claim = Claim(turn: claimedCount, rows: nextRow..<end)
        nextRow = end
        claimedCount += 1
        return claim
    }
}
