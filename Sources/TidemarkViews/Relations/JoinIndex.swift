import TidemarkModel

/// A hash index of a relation: its entities by join key.
struct JoinIndex: Sendable {
    let extractor: KeyExtractor
    /// False until the index has every entity of its relation.
    var isFilled = false
    private var buckets: [ByteString: EntityBucket] = [:]
    /// An estimate of the bytes that the index takes.
    private(set) var byteCount = 0

    init(_ extractor: KeyExtractor) {
        self.extractor = extractor
    }

    mutating func insert(_ number: EntityNumber, _ keys: JoinKeys) {
        for key in keys {
            let formerCount = buckets.count
            guard buckets[key, default: .none].insert(number) else { continue }
            byteCount += JoinIndex.entryByteCount
            if buckets.count > formerCount { byteCount += key.bytes.count + JoinIndex.bucketByteCount }
        }
    }

    mutating func remove(_ number: EntityNumber, _ keys: JoinKeys) {
        for key in keys {
            guard let position = buckets.index(forKey: key), buckets.values[position].remove(number) else { continue }
            byteCount -= JoinIndex.entryByteCount
            guard buckets.values[position].count == 0 else { continue }
            buckets.remove(at: position)
            byteCount -= key.bytes.count + JoinIndex.bucketByteCount
        }
    }

    /// The number of entities with a key.
    func count(of key: ByteString) -> Int { buckets[key]?.count ?? 0 }

    /// The entities with a key.
    func entities(_ key: ByteString) -> EntityBucket { buckets[key] ?? .none }

    /// The bytes of a bucket: its key's array and its set.
    private static let bucketByteCount = 120
    /// The bytes of a place in a set, with its share of the free ones.
    private static let entryByteCount = 12
}
