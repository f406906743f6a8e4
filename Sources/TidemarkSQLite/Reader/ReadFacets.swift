import Tidemark
import TidemarkModel
import TidemarkStore

/// How many entities have each value of a field.
public struct ReadFacets: Hashable, Sendable {
    /// One value and its count.
    public struct Value: Hashable, Sendable {
        /// Numbers in their shortest spelling; of equal arrays and objects the spelling that is first by its bytes.
        public var json: [UInt8]
        public var count: Int64
    }

    /// The most frequent first, of equally frequent ones the lesser first.
    public var values: [Value]
    /// Entities without the field.
    public var missingCount: Int64
    /// Different values, also of those that are not in `values`.
    public var distinctCount: Int
    /// Entities that were counted.
    public var entityCount: Int64
    public var plan: ReadPlan

    /// Different values that are counted: 100,000. A field with more tells one entity from another, not kinds of them.
    public static let distinctCountMax = 100_000
}

/// Counts of values, by what tells them apart.
struct FacetCounts {
    private struct Entry {
        var count: Int64 = 0
        /// Of arrays and objects, whose code does not spell them.
        var json: [UInt8]?
    }

    private var entries: [[UInt8]: Entry] = [:]
    private(set) var missingCount: Int64 = 0

    /// - Parameter code: Exact; ``TidemarkStore/FieldCode/missing`` for no value.
    /// - Throws: ``Tidemark/StorageError`` `.limitExceeded`.
    mutating func add(_ code: [UInt8], json: [UInt8]? = nil, count: Int64 = 1) throws {
        if code == FieldCode.missing {
            missingCount += count
            return
        }
        var entry = entries[code] ?? Entry()
        entry.count += count
        if FieldCode.isContainer(code), let json, entry.json.map({ json.lexicographicallyPrecedes($0) }) ?? true {
            entry.json = json
        }
        entries[code] = entry.count == 0 ? nil : entry
        guard entries.count <= ReadFacets.distinctCountMax else {
            throw StorageError(
                .limitExceeded, "the field has more than \(ReadFacets.distinctCountMax) different values",
                advice: "count fewer entities with --where, or another field")
        }
    }

    /// - Parameter payload: One object without insignificant white space.
    mutating func add(_ path: FieldPath, of payload: [UInt8]) throws {
        let value = payload.withUnsafeBytes { bytes in
            CompactJSON.isObject(bytes) ? path.value(in: bytes) : nil
        }
        if let value { try add(value.code, json: value.json) } else { try add(FieldCode.missing) }
    }

    func facets(countMax: Int, plan: ReadPlan) -> ReadFacets {
        let sorted = entries.sorted { left, right in
            left.value.count == right.value.count
                ? left.key.lexicographicallyPrecedes(right.key) : left.value.count > right.value.count
        }
        return ReadFacets(
            values: sorted.prefix(countMax).map { code, entry in
                ReadFacets.Value(json: entry.json ?? FieldCode.json(code) ?? Array("null".utf8), count: entry.count)
            }, missingCount: missingCount, distinctCount: entries.count,
            entityCount: entries.values.reduce(missingCount) { $0 + $1.count }, plan: plan)
    }
}
