/// The index of keys in memory: the position of each key's newest version, by the key's hash.
///
/// A key takes 14 to 18 bytes. The index contains no keys: a reader compares the key in the directory of the block.
///
/// - Source: docs/decisions/0020-past-memory.md, with measurements.
struct KeyPlaceIndex {
    static let segmentCount = 1 << KeyHash.segmentBitCount

    private var segments = [KeySegment](repeating: KeySegment(), count: segmentCount)
    /// The number of keys.
    private(set) var count = 0
    /// The bytes of all slots, which count towards the memory limit.
    private(set) var byteCount = 0

    subscript(hash: KeyHash) -> BlockPlace? { segments[hash.segment].place(of: hash.tag) }

    /// Sets the position of a key's newest version.
    ///
    /// - Returns: The position of the version before, which is now dead; nil for a new key.
    /// - Complexity: O(1) on average; growing copies one segment.
    mutating func set(_ place: BlockPlace, of hash: KeyHash) -> BlockPlace? {
        change(hash.segment) { $0.set(place, of: hash.tag) }
    }

    /// Removes a key.
    ///
    /// - Returns: The position of the version that is now dead; nil when there is none.
    mutating func remove(_ hash: KeyHash) -> BlockPlace? {
        change(hash.segment) { $0.remove(hash.tag) }
    }

    /// Removes every key whose position meets a condition.
    ///
    /// - Returns: The number of removed keys.
    /// - Complexity: O(count).
    mutating func removeAll(where isGone: (BlockPlace) -> Bool) -> Int {
        let before = count
        for index in segments.indices {
            change(index) { $0.removeAll(where: isGone) }
        }
        return before - count
    }

    /// Calls a closure with each position, in no order.
    func forEachPlace(_ body: (BlockPlace) -> Void) {
        for segment in segments { segment.forEach { _, place in body(place) } }
    }

    /// Calls a closure with each key's hash and position, in no order.
    func forEachKey(_ body: (KeyHash, BlockPlace) -> Void) {
        for (index, segment) in segments.enumerated() {
            segment.forEach { body(KeyHash(segment: index, tag: $0), $1) }
        }
    }

    /// Returns the bytes of a segment for its row.
    ///
    /// - Parameters:
    ///   - seed: The result of ``StoredSegment/seed(of:through:)``.
    ///   - isGone: Returns true for a position whose key is left out.
    ///   - number: Returns the number of the block with an ordinal.
    func stored(
        segment index: Int, seed: UInt64, without isGone: (BlockPlace) -> Bool = { _ in false },
        number: (Int) -> Int64
    ) -> [UInt8] {
        var segment = segments[index]
        segment.removeAll(where: isGone)
        return StoredSegment.bytes(segment, as: index, seed: seed, number: number)
    }

    /// Replaces a segment by a stored one.
    ///
    /// - Parameter ordinal: Returns the ordinal of the block with a number; nil when there is none, so that the key is
    ///   left out.
    /// - Returns: The keys that were left out; nil when a tag occurs twice, and nothing was changed.
    /// - Complexity: O(count).
    mutating func restore(segment index: Int, _ stored: StoredSegment, ordinal: (Int64) -> Int?) -> [KeyHash]? {
        guard let restored = RestoredSegment(stored, as: index, ordinal: ordinal) else { return nil }
        restore(restored)
        return restored.leftOut
    }

    /// Replaces a segment by a restored one.
    mutating func restore(_ restored: RestoredSegment) {
        change(restored.index) { $0 = restored.segment }
    }

    /// Checks every segment, and the counts.
    ///
    /// No input reaches it: only tests call it.
    func checkInvariants() {
        for segment in segments { segment.checkInvariants() }
        precondition(count == segments.reduce(0) { $0 + $1.count }, "\(count) keys by the counter")
        precondition(byteCount == segments.reduce(0) { $0 + $1.byteCount }, "\(byteCount) bytes by the counter")
    }

    private mutating func change<Result>(_ index: Int, _ body: (inout KeySegment) -> Result) -> Result {
        let (countBefore, byteCountBefore) = (segments[index].count, segments[index].byteCount)
        defer {
            count += segments[index].count - countBefore
            byteCount += segments[index].byteCount - byteCountBefore
        }
        return body(&segments[index])
    }
}

/// A stored segment, with the ordinals of its blocks. Several threads may create some at the same time.
struct RestoredSegment {
    let index: Int
    private(set) var segment: KeySegment
    /// The keys whose block was deleted.
    private(set) var leftOut: [KeyHash] = []

    /// Restores a stored segment; nil when a tag occurs twice.
    ///
    /// - Parameter ordinal: Returns the ordinal of the block with a number; nil when there is none.
    /// - Complexity: O(count).
    init?(_ stored: StoredSegment, as index: Int, ordinal: (Int64) -> Int?) {
        self.index = index
        var segment = KeySegment(count: stored.count)
        var leftOut: [KeyHash] = []
        var isSound = true
        stored.forEach { tag, number, position in
            guard let ordinal = ordinal(number) else { return leftOut.append(KeyHash(segment: index, tag: tag)) }
            if segment.set(BlockPlace(ordinal: ordinal, position: position), of: tag) != nil { isSound = false }
        }
        guard isSound else { return nil }
        self.segment = segment
        self.leftOut = leftOut
    }
}
