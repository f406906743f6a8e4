import Tidemark
import TidemarkModel
import TidemarkStore

/// The number of entities for each value of a field.
public struct ReadFacets: Hashable, Sendable {
    /// One value and its count.
    public struct Value: Hashable, Sendable {
        /// The value as JSON. Numbers have their shortest spelling. Of equal arrays or objects, the spelling that is
        /// first by its bytes is used.
        public var json: [UInt8]
        public var count: Int64
    }

    /// The values, the most frequent first; among equally frequent ones, the lesser first.
    public var values: [Value]
    /// The number of entities without the field.
    public var missingCount: Int64
    /// The number of different values, including those that are not in `values`.
    public var distinctCount: Int
    /// The number of entities that were counted.
    public var entityCount: Int64
    public var plan: ReadPlan

    /// The maximum number of different values that are counted: 100,000. A field with more values identifies entities
    /// and does not group them.
    public static let distinctCountMax = 100_000
}

/// The counts of values, by the codes that distinguish them.
struct FacetCounts {
    private struct Entry {
        var count: Int64 = 0
        /// The spelling of an array or object, whose code does not contain it; nil for other values.
        var json: [UInt8]?
    }

    private var entries: [[UInt8]: Entry] = [:]
    private(set) var missingCount: Int64 = 0

    /// - Parameter code: An exact code; ``TidemarkStore/FieldCode/missing`` for an absent field.
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
