/// Decides which thread encodes which rows of a flush, and in which order they are written.
///
/// Chunks are claimed and written in the order of the rows; turn t uses chunk t modulo ``chunkCount``. If the next
/// chunk to write is not ready, the writer claims one itself, so no processor waits for another as long as there is
/// anything to encode. At most ``chunkCount`` chunks are claimed and not returned. A chunk that is larger than an
/// encoder's buffer is claimed only when no other is, so there is only one such buffer at a time.
struct BodyClaims {
    /// The number of chunks: 8. An encoder keeps 256 KiB for each.
    static let chunkCount = 8
    /// The most rows in a chunk: 256, about 0.4 ms of compressing. Only one thread works on the last chunk of a flush.
    static let rowCountMax = 256

    /// A range of rows that one thread encodes.
    struct Claim: Equatable {
        let turn: Int
        let rows: Range<Int>
        /// The number of the chunk that receives the rows.
        var chunk: Int { turn % BodyClaims.chunkCount }
    }

    /// What a thread does next.
    enum Step: Equatable {
        /// Encode the claimed rows.
        case encode(Claim)
        /// Write the bodies of a chunk. Only the writer gets this step.
        case write(chunk: Int)
        /// Wait until another thread has filled or written a chunk.
        case wait
        /// Stop: nothing is left to do.
        case leave
    }

    private let rowCount: Int
    /// The first row that no thread has claimed.
    private var nextRow = 0
    /// The number of claimed turns, and that of written turns. Their difference is at most `chunkCount`.
    private var claimedCount = 0
    private var writtenCount = 0
    /// For each chunk, true if it is encoded and not written yet.
    private var isFilled = [Bool](repeating: false, count: BodyClaims.chunkCount)
    /// True if no more rows may be claimed: the writer has finished or given up.
    private var isEnded = false
    /// The number of threads beside the writer that may be reading the flush.
    private(set) var helperCount = 0

    init(rowCount: Int) {
        self.rowCount = rowCount
    }

    /// Registers a helper.
    ///
    /// - Returns: False if the flush is over, so that the thread must not read it.
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

    /// Marks the rows of a claim as encoded.
    mutating func filled(_ claim: Claim) {
        isFilled[claim.chunk] = true
    }

    /// Marks the chunk that ``writerStep(_:)`` returned as written.
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
