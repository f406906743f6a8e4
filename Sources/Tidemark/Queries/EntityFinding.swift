import TidemarkModel
import TidemarkStore

/// A search among the entities of one type, as readers see them.
package struct EntityFinding: Sendable {
    package var library: ByteString
    /// The rule, of which the type, `where` and `order` count.
    package var rule: Membership
    /// The part of `type:id` that must match; ASCII letters match in either case. nil: every key.
    package var matching: ByteString?
    /// The entity after which the page begins, at its current place; nil: at the first.
    package var after: EntityKey?
    package var countMax: Int

    package init(library: ByteString, rule: Membership, countMax: Int) {
        self.library = library
        self.rule = rule
        self.countMax = countMax
    }
}

/// A part of the entities that were found, in their order.
package struct FoundEntities: Sendable {
    package var keys: [EntityKey] = []
    /// The resources as JSON, one for each key.
    package var entities: [[UInt8]] = []
    /// The key to continue after; nil at the end.
    package var next: EntityKey?
    /// The number of entities that were examined.
    package var readCount = 0
}

/// The first matches in an order, of those that were offered so far.
///
/// Bound: `countMax` and one more, which shows that there are further ones.
struct FirstMatches {
    struct Match {
        var sortKey: [UInt8]
        var id: ByteString
        var payload: [UInt8]
    }

    private let rule: Membership
    private let pattern: KeyPattern
    private let place: [UInt8]?
    private let countMax: Int
    /// The matches in order.
    private(set) var matches: [Match] = []
    /// The sort keys of the matches.
    private var sortKeys: [ByteString: [UInt8]] = [:]
    /// The lowest sort key that found no room. A match beyond it is not taken any more, so that nothing between two
    /// matches is ever missing.
    private(set) var bound: [UInt8]?
    private(set) var readCount = 0

    /// - Parameter place: The sort key after which matches count; nil: all.
    init(_ finding: EntityFinding, place: [UInt8]?) {
        rule = finding.rule
        pattern = KeyPattern(type: finding.rule.resourceType, part: finding.matching)
        self.place = place
        countMax = finding.countMax + 1
    }

    /// Whether no entity with a higher id can be among the first; only for an order by key.
    func isFull(beyond id: ByteString) -> Bool {
        guard rule.orderCount == 0, matches.count == countMax, let last = matches.last else { return false }
        return last.id <= id
    }

    /// Offers an entity; one that was offered before is replaced.
    ///
    /// - Parameter isNew: Whether the entity is counted as examined.
    mutating func offer(_ id: ByteString, _ payload: UnsafeRawBufferPointer, isNew: Bool = true) {
        if isNew { readCount += 1 }
        remove(id)
        guard pattern.matches(id), rule.matches(payload) else { return }
        let sortKey = rule.sortKey(of: payload, id: id)
        if let place, !place.lexicographicallyPrecedes(sortKey) { return }
        if let bound, !sortKey.lexicographicallyPrecedes(bound) { return }
        matches.insert(Match(sortKey: sortKey, id: id, payload: Array(payload)), at: index(of: sortKey))
        sortKeys[id] = sortKey
        guard matches.count > countMax, let last = matches.popLast() else { return }
        sortKeys[last.id] = nil
        bound = last.sortKey
    }

    mutating func remove(_ id: ByteString) {
        guard let sortKey = sortKeys.removeValue(forKey: id) else { return }
        matches.remove(at: index(of: sortKey))
    }

    /// The first index whose sort key is not lower.
    private func index(of sortKey: [UInt8]) -> Int {
        var low = 0
        var high = matches.count
        while low < high {
            let middle = (low + high) / 2
            if matches[middle].sortKey.lexicographicallyPrecedes(sortKey) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A literal part of a key, in which ASCII letters match in either case.
struct KeyPattern {
    private let prefix: [UInt8]
    private let part: [UInt8]

    /// - Parameter part: The part of `type:id`; nil or empty matches every key.
    init(type: ByteString, part: ByteString?) {
        prefix = (type.bytes + [UInt8(ascii: ":")]).map(KeyPattern.lowered)
        self.part = (part?.bytes ?? []).map(KeyPattern.lowered)
    }

    /// - Complexity: O(id.count · part.count), in practice O(id.count).
    func matches(_ id: ByteString) -> Bool {
        guard let first = part.first else { return true }
        let name = prefix + id.bytes.map(KeyPattern.lowered)
        guard part.count <= name.count else { return false }
        return (0...name.count - part.count).contains { name[$0] == first && name[$0...].starts(with: part) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
