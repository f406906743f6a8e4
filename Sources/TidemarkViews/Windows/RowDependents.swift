/// The shown rows that read an entity or a bucket: what has to be rendered again when it changes.
struct RowDependents: Sendable {
    /// The rows of windows that read one thing: each the window's number in the upper half and the row's in the lower
    /// one. Most things are read by one row, which takes no set.
    private enum Targets: Sendable {
        case one(UInt64)
        case many(Set<UInt64>)

        /// - Returns: False if the row was already there.
        mutating func insert(_ target: UInt64) -> Bool {
            switch self {
            case .one(let other):
                guard other != target else { return false }
                self = .many([other, target])
                return true
            case .many(var targets):
                // Out of the way while it changes, so that it is not copied.
                self = .one(target)
                let isInserted = targets.insert(target).inserted
                self = .many(targets)
                return isInserted
            }
        }

        /// - Returns: False if the row was not there.
        mutating func remove(_ target: UInt64, isEmpty: inout Bool) -> Bool {
            switch self {
            case .one(let other):
                isEmpty = other == target
                return isEmpty
            case .many(var targets):
                self = .one(target)
                let isRemoved = targets.remove(target) != nil
                isEmpty = targets.isEmpty
                self = .many(targets)
                return isRemoved
            }
        }

        func forEach(_ body: (UInt64) -> Void) {
            switch self {
            case .one(let target): body(target)
            case .many(let targets): targets.forEach(body)
            }
        }

        var byteCount: Int {
            if case .many(let targets) = self { targets.capacity * 16 } else { 0 }
        }
    }

    private var rows: [UInt64: Targets] = [:]

    /// How many reads of buckets there are.
    private var bucketReadCount = 0

    init() {}

    /// True if a row reads a bucket.
    var readsBuckets: Bool { bucketReadCount > 0 }

    mutating func add(_ window: ViewWindowID, _ row: RowNumber, _ reads: FewSet<UInt64>) {
        let target = UInt64(window.rawValue) << 32 | UInt64(row)
        for read in reads {
            if let position = rows.index(forKey: read) {
                guard rows.values[position].insert(target) else { continue }
            } else {
                rows[read] = .one(target)
            }
            bucketReadCount += BucketID.isBucket(read) ? 1 : 0
        }
    }

    mutating func remove(_ window: ViewWindowID, _ row: RowNumber, _ reads: FewSet<UInt64>) {
        let target = UInt64(window.rawValue) << 32 | UInt64(row)
        for read in reads {
            guard let position = rows.index(forKey: read) else { continue }
            var isEmpty = false
            guard rows.values[position].remove(target, isEmpty: &isEmpty) else { continue }
            bucketReadCount -= BucketID.isBucket(read) ? 1 : 0
            if isEmpty { rows.remove(at: position) }
        }
    }

    /// The rows that read any of some entities or buckets, by window.
    func rows(_ reads: [UInt64]) -> [ViewWindowID: Set<RowNumber>] {
        var found: [ViewWindowID: Set<RowNumber>] = [:]
        guard !rows.isEmpty else { return found }
        for read in reads {
            rows[read]?.forEach { target in
                let window = ViewWindowID(rawValue: UInt32(target >> 32))
                found[window, default: []].insert(RowNumber(truncatingIfNeeded: target))
            }
        }
        return found
    }

    /// An estimate of the bytes that the rows take.
    var byteCount: Int { rows.reduce(0) { $0 + 80 + $1.value.byteCount } }
}
