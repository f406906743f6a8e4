import TidemarkHTTPRecords

/// How the body of one response is kept while it arrives: a short one in memory, a long one on the disk if it may be
/// stored, and one that its caller reads itself not at all. It makes the decisions, without the bytes.
///
/// | kept in | event | step |
/// |---|---|---|
/// | memory | a chunk, at most 1 MiB in all | `keep` |
/// | memory | a chunk past 1 MiB, for a caller that reads it | `handOver` |
/// | memory | a chunk past 1 MiB that may be stored | `beginDraft`; `keep` all in memory if the disk fails |
/// | the disk | a chunk | `append`; `takeBack` into memory past what is stored, or if the disk fails |
/// | either | a chunk past the limit of the caller | `tooLong` |
struct BodyIntake: Hashable, Sendable {
    /// What happens to a chunk.
    enum Step: Hashable, Sendable {
        /// It is appended to the body in memory.
        case keep
        /// It is appended to the body in memory, which is then written to the disk: report it with `wrote`.
        case beginDraft
        /// It is appended to the body on the disk: report it with `wrote`.
        case append
        /// The body in memory and the rest are the caller's.
        case handOver
        /// The body has more bytes than anybody takes.
        case tooLong
    }

    private enum Place { case memory, disk }

    /// The largest body that is returned, in bytes.
    let byteCountMax: Int
    /// The largest body that is stored, in bytes.
    private let storedByteCountMax: Int
    private let isRead: Bool
    private var place = Place.memory
    /// True if the body may be written to the disk.
    private(set) var isStorable: Bool
    /// The bytes that have arrived.
    private(set) var byteCount = 0

    /// Creates the intake of a body of which nothing has arrived.
    ///
    /// - Parameters:
    ///   - isStorable: True if the rules allow storing it.
    ///   - isRead: True if the caller reads a long body while it arrives.
    ///   - storedByteCountMax: The largest body that is stored, in bytes.
    ///   - callerByteCountMax: The largest body that the caller takes, in bytes. A body that is too long to be stored
    ///     is still returned, if the caller takes it.
    init(isStorable: Bool, isRead: Bool, storedByteCountMax: Int, callerByteCountMax: Int) {
        self.isStorable = isStorable
        self.isRead = isRead
        self.storedByteCountMax = storedByteCountMax
        byteCountMax = max(storedByteCountMax, callerByteCountMax)
    }

    /// Decides what happens to a chunk of so many bytes.
    mutating func received(_ chunkByteCount: Int) -> Step {
        byteCount += chunkByteCount
        switch place {
        case .memory:
            guard byteCount > HTTPBodyDraft.chunkByteCount else { return .keep }
            if isRead { return .handOver }
            guard byteCount <= byteCountMax else { return .tooLong }
            guard isStorable, byteCount <= storedByteCountMax else { return .keep }
            place = .disk
            return .beginDraft
        case .disk: return byteCount <= byteCountMax ? .append : .tooLong
        }
    }

    /// Notes how a write to the disk ended.
    ///
    /// - Returns: False if the body is to be taken back into memory, and the rest of it kept there.
    mutating func wrote(isKept: Bool) -> Bool {
        if isKept, byteCount <= storedByteCountMax { return true }
        place = .memory
        isStorable = false
        return false
    }
}
