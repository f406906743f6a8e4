import TidemarkModel

/// The keys written most recently, so that an answer that was on its way meanwhile can be brought up to date.
///
/// A ring of `countMax` keys: older ones are forgotten, and the ring reports this.
struct RecentWrites {
    struct Write {
        var key: StoredKey
        /// The sequence of the write; nil when it had none, or when its log has ended.
        var sequence: EventSequence?
        /// Whether an answer to a query wrote it: compared with another answer, its sequence decides, if it has one.
        var isAnswer = false
        /// Whether a late event wrote it: compared with any answer, its sequence decides, whenever it came.
        var isLate = false
        var extent = Extent.whole
    }

    /// The part of an entity that a write stands for when an answer is compared with it.
    enum Extent {
        /// All of it.
        case whole
        /// All of it for an answer to a query; for a document's the fields that ``FieldWrites`` has of it.
        case fieldsOfDocuments
        /// The fields that ``FieldWrites`` has of it.
        case fields
    }

    /// The number of remembered writes: 8,192, as many as arrive in a second or less while an answer is awaited.
    static let countMax = 8_192

    private var ring: [Write] = []
    private var next = 0
    /// The number of writes so far.
    private(set) var ordinal: Int64 = 0
    /// The highest forgotten sequence of each library.
    private var forgotten: [LibraryIndex: EventSequence] = [:]

    mutating func append(
        _ key: StoredKey, sequence: EventSequence?, isAnswer: Bool = false, isLate: Bool = false,
        extent: Extent = .whole
    ) {
        ordinal += 1
        let write = Write(key: key, sequence: sequence, isAnswer: isAnswer, isLate: isLate, extent: extent)
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

    /// Returns the writes of events and transactions after an ordinal, oldest first; nil when some of them were
    /// forgotten.
    func writes(after start: Int64) -> [Write]? {
        Int(ordinal - start) <= ring.count ? newest(ordinal - start).filter { !$0.isAnswer } : nil
    }

    /// Returns the writes of answers after an ordinal, oldest first, as far as they are remembered.
    func answers(after start: Int64) -> [Write] {
        newest(min(ordinal - start, Int64(ring.count))).filter(\.isAnswer)
    }

    private func newest(_ count: Int64) -> [Write] {
        let count = Int(count)
        return (0..<count).map { ring[(next + ring.count - count + $0) % ring.count] }
    }

    /// Returns the writes of a library with a higher sequence, and whether these are all.
    func writes(after sequence: EventSequence, in library: LibraryIndex) -> (writes: [Write], isWhole: Bool) {
        let writes: [Write] = (0..<ring.count).compactMap { offset in
            let write = ring[(next + offset) % ring.count]
            guard write.key.library == library, let own = write.sequence, own > sequence else { return nil }
            return write
        }
        return (writes, forgotten[library].map { $0 <= sequence } ?? true)
    }

    /// Forgets the writes up to now, because no answer is awaited.
    mutating func clear() {
        for write in ring { forget(write) }
        ring.removeAll(keepingCapacity: true)
        next = 0
    }

    /// Notes that writes up to a library's cursor were not remembered.
    mutating func forget(through cursor: EventSequence?, in library: LibraryIndex) { forgotten[library] = cursor }

    /// Forgets the sequences of a library whose log began anew: they no longer mean anything, but the writes still
    /// count.
    mutating func forgetSequences(of library: LibraryIndex) {
        for index in ring.indices where ring[index].key.library == library { ring[index].sequence = nil }
        forgotten[library] = nil
    }
}
