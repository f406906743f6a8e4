import TidemarkModel
import TidemarkStore

/// A search among the entities of one type, optimistic edits included.
package struct EntityFinding: Sendable {
    /// The library to search.
    package var library: ByteString
    /// The rule of the search; its type, `where` and `order` are used.
    package var rule: Membership
    /// A literal part of `type:id` that must match; ASCII letters match in either case. nil for every key.
    package var matching: ByteString?
    /// The entity after which the page begins, at its current place in the order; nil to begin at the first.
    package var after: EntityKey?
    /// The largest number of entities on a page.
    package var countMax: Int

    package init(library: ByteString, rule: Membership, countMax: Int) {
        self.library = library
        self.rule = rule
        self.countMax = countMax
    }
}

/// A page of the entities that a search found, in order.
package struct FoundEntities: Sendable {
    /// The keys of the entities.
    package var keys: [EntityKey] = []
    /// The resources as JSON, one for each key.
    package var entities: [[UInt8]] = []
    /// The key to continue after; nil at the end.
    package var next: EntityKey?
    /// How many entities were examined.
    package var readCount = 0
}

/// The first matches, in order, of the entities offered so far.
///
/// Bounded by `countMax`, and one more that shows whether others follow.
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
    /// The sort key of each match, by id.
    private var sortKeys: [ByteString: [UInt8]] = [:]
    /// The lowest sort key that was dropped for lack of room. Matches beyond it are no longer taken, so that none
    /// between two matches can be missing.
    private(set) var bound: [UInt8]?
    private(set) var readCount = 0

    /// - Parameter place: The sort key after which matches count; nil for all.
    init(_ finding: EntityFinding, place: [UInt8]?) {
        rule = finding.rule
        pattern = KeyPattern(type: finding.rule.resourceType, part: finding.matching)
        self.place = place
        countMax = finding.countMax + 1
    }

    /// Returns true if no entity with a higher id can be among the first matches; always false unless the order is by
    /// key.
    func isFull(beyond id: ByteString) -> Bool {
        guard rule.orderCount == 0, matches.count == countMax, let last = matches.last else { return false }
        return last.id <= id
    }

    /// Offers an entity; one that was offered before is replaced.
    ///
    /// - Parameter isNew: Whether to count the entity as examined.
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

    /// Returns the first index whose sort key is not lower.
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

/// Matches a literal part of a key; ASCII letters match in either case.
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
