/// The shown rows that read an entity or a bucket: what has to be rendered again when it changes.
struct RowDependents: Sendable {
    /// A row of a window: the window's number in the upper half.
    private var rows: [UInt64: Set<UInt64>] = [:]

    /// How many reads of buckets there are.
    private var bucketReadCount = 0

    init() {}

    /// True if a row reads a bucket.
    var readsBuckets: Bool { bucketReadCount > 0 }

    mutating func add(_ window: ViewWindowID, _ row: RowNumber, _ reads: FewSet<UInt64>) {
        let target = UInt64(window.rawValue) << 32 | UInt64(row)
        for read in reads where rows[read, default: []].insert(target).inserted {
            bucketReadCount += BucketID.isBucket(read) ? 1 : 0
        }
    }

    mutating func remove(_ window: ViewWindowID, _ row: RowNumber, _ reads: FewSet<UInt64>) {
        let target = UInt64(window.rawValue) << 32 | UInt64(row)
        for read in reads {
            guard let position = rows.index(forKey: read) else { continue }
            if rows.values[position].remove(target) != nil { bucketReadCount -= BucketID.isBucket(read) ? 1 : 0 }
            if rows.values[position].isEmpty { rows.remove(at: position) }
        }
    }

    /// The rows that read any of some entities or buckets, by window.
    func rows(_ reads: Set<UInt64>) -> [ViewWindowID: Set<RowNumber>] {
        var found: [ViewWindowID: Set<RowNumber>] = [:]
        guard !rows.isEmpty else { return found }
        for read in reads {
            for target in rows[read] ?? [] {
                let window = ViewWindowID(rawValue: UInt32(target >> 32))
                found[window, default: []].insert(RowNumber(truncatingIfNeeded: target))
            }
        }
        return found
    }

    /// An estimate of the bytes that the rows take.
    var byteCount: Int { rows.reduce(0) { $0 + 80 + $1.value.capacity * 16 } }
}
