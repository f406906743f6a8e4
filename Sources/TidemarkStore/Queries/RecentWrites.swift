import TidemarkModel

/// The keys that were written last, so that an answer that was on its way meanwhile can be brought up to date.
///
/// A ring of `countMax` keys: older ones are forgotten, and the ring says so.
struct RecentWrites {
    struct Write {
        var key: StoredKey
        /// nil when the write had none, or its log is over.
        var sequence: EventSequence?
        /// An answer to a query wrote it: to another answer that counts by its sequence, if it has one.
        var isAnswer = false
        /// A late event wrote it: to every answer it counts by its sequence, whenever it came.
        var isLate = false
    }

    /// 8,192: what arrives in a second or less while an answer is awaited.
    static let countMax = 8_192

    private var ring: [Write] = []
    private var next = 0
    /// Writes so far; grows with each.
    private(set) var ordinal: Int64 = 0
    /// The highest sequence by library that was forgotten.
    private var forgotten: [LibraryIndex: EventSequence] = [:]

    mutating func append(
        _ key: StoredKey, sequence: EventSequence?, isAnswer: Bool = false, isLate: Bool = false
    ) {
        ordinal += 1
        let write = Write(key: key, sequence: sequence, isAnswer: isAnswer, isLate: isLate)
        guard ring.count == RecentWrites.countMax else { return ring.append(write) }
        forget(ring[next])
        ring[next] = write
        next = (next + 1) % RecentWrites.countMax
    }

    private mutating func forget(_ write: Write) {
        guard let sequence = write.sequence else { return }
        if let known = forgotten[write.key.library], known >= sequence { return }
        forgotten[write.key.library] = sequence
    }

    /// Writes of events and transactions after an ordinal, oldest first; nil when some of them were forgotten.
    func writes(after start: Int64) -> [Write]? {
        Int(ordinal - start) <= ring.count ? newest(ordinal - start).filter { !$0.isAnswer } : nil
    }

    /// Writes of answers after an ordinal, oldest first, as far as they are remembered.
    func answers(after start: Int64) -> [Write] {
        newest(min(ordinal - start, Int64(ring.count))).filter(\.isAnswer)
    }

    private func newest(_ count: Int64) -> [Write] {
        let count = Int(count)
        return (0..<count).map { ring[(next + ring.count - count + $0) % ring.count] }
    }

    /// Writes of a library with a higher sequence, and whether these are all.
    func writes(after sequence: EventSequence, in library: LibraryIndex) -> (writes: [Write], isWhole: Bool) {
        let writes: [Write] = (0..<ring.count).compactMap { offset in
            let write = ring[(next + offset) % ring.count]
            guard write.key.library == library, let own = write.sequence, own > sequence else { return nil }
            return write
        }
        return (writes, forgotten[library].map { $0 <= sequence } ?? true)
    }

    /// Nobody needs what was written up to here.
    mutating func clear() {
        for write in ring { forget(write) }
        ring.removeAll(keepingCapacity: true)
        next = 0
    }

    /// Nobody remembered what was written up to a library's cursor.
    mutating func forget(through cursor: EventSequence?, in library: LibraryIndex) { forgotten[library] = cursor }

    /// Sequences of a library start anew: the old ones stand for nothing, that there were writes still counts.
    mutating func forgetSequences(of library: LibraryIndex) {
        for index in ring.indices where ring[index].key.library == library { ring[index].sequence = nil }
        forgotten[library] = nil
    }
}
