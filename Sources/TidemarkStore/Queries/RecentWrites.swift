import TidemarkModel

/// The most recently written keys. They serve to update a response that was on its way during these writes.
///
/// A ring of `countMax` keys. Older ones are forgotten, and lookups that would need them report it.
struct RecentWrites {
    struct Write {
        var key: StoredKey
        /// The sequence of the write; nil if it had none, or its log has ended.
        var sequence: EventSequence?
        /// True if a response to a query made the write. Against another response, its sequence decides, if it has one.
        var isAnswer = false
        /// True if a late event made the write. Against any response, its sequence decides, whenever the response
        /// arrives.
        var isLate = false
        var extent = Extent.whole
    }

    /// How much of an entity a write protects from a response.
    enum Extent {
        /// The whole entity.
        case whole
        /// The whole entity from a response to a query; from one to a document, only the fields in ``FieldWrites``.
        case fieldsOfDocuments
        /// Only the fields in ``FieldWrites``.
        case fields
    }

    /// How many writes are remembered: 8,192, as many as arrive in a second or less while a response is awaited.
    static let countMax = 8_192

    private var ring: [Write] = []
    private var next = 0
    /// How many writes there were so far.
    private(set) var ordinal: Int64 = 0
    /// The highest sequence that was forgotten, for each library.
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

    /// Returns the writes of events and transactions after an ordinal, oldest first; nil if some were forgotten.
    func writes(after start: Int64) -> [Write]? {
        Int(ordinal - start) <= ring.count ? newest(ordinal - start).filter { !$0.isAnswer } : nil
    }

    /// Returns the writes of responses after an ordinal, oldest first, as far as they are remembered.
    func answers(after start: Int64) -> [Write] {
        newest(min(ordinal - start, Int64(ring.count))).filter(\.isAnswer)
    }

    private func newest(_ count: Int64) -> [Write] {
        let count = Int(count)
        return (0..<count).map { ring[(next + ring.count - count + $0) % ring.count] }
    }

    /// Returns the writes of a library with a higher sequence, and whether these are all of them.
    func writes(after sequence: EventSequence, in library: LibraryIndex) -> (writes: [Write], isWhole: Bool) {
        let writes: [Write] = (0..<ring.count).compactMap { offset in
            let write = ring[(next + offset) % ring.count]
            guard write.key.library == library, let own = write.sequence, own > sequence else { return nil }
            return write
        }
        return (writes, forgotten[library].map { $0 <= sequence } ?? true)
    }

    /// Forgets all writes, because no response is awaited.
    mutating func clear() {
        for write in ring { forget(write) }
        ring.removeAll(keepingCapacity: true)
        next = 0
    }

    /// Records that writes up to a library's cursor were not remembered.
    mutating func forget(through cursor: EventSequence?, in library: LibraryIndex) { forgotten[library] = cursor }

    /// Forgets the sequences of a library whose log was replaced, because they cannot be compared any more. The writes
    /// still count.
    mutating func forgetSequences(of library: LibraryIndex) {
        for index in ring.indices where ring[index].key.library == library { ring[index].sequence = nil }
        forgotten[library] = nil
    }
}
