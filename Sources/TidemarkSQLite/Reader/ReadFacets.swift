import Tidemark
import TidemarkModel
import TidemarkStore

/// How often each value of a field occurs.
public struct ReadFacets: Hashable, Sendable {
    /// One value of the field, and how often it occurs.
    public struct Value: Hashable, Sendable {
        /// The value as JSON, numbers in their shortest form. Of equal arrays or objects in different spellings, the
        /// bytewise least spelling.
        public var json: [UInt8]
        /// How many entities have the value.
        public var count: Int64
    }

    /// The most frequent values first; among equally frequent ones, the lesser first. At most as many as requested.
    public var values: [Value]
    /// How many entities do not have the field.
    public var missingCount: Int64
    /// How many different values there are, including those that are not in `values`.
    public var distinctCount: Int
    /// How many entities were counted, including those without the field.
    public var entityCount: Int64
    /// How the entities were read.
    public var plan: ReadPlan

    /// The most different values that are counted: 100,000. A field with more values identifies entities rather than
    /// grouping them.
    public static let distinctCountMax = 100_000
}

/// Counts of values, by their index codes.
struct FacetCounts {
    /// How many entities have a value.
    private struct Entry {
        var count: Int64 = 0
        /// The spelling of an array or object, which its code does not contain; nil for other values.
        var json: [UInt8]?
    }

    private var entries: [[UInt8]: Entry] = [:]
    private(set) var missingCount: Int64 = 0

    /// Adds to the count of a value.
    ///
    /// - Parameter code: An exact code; ``/TidemarkStore/FieldCode/missing`` for an absent field.
    /// - Throws: ``/Tidemark/StorageError`` `.limitExceeded` beyond ``ReadFacets/distinctCountMax``.
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

    /// Counts the field's value in an entity.
    ///
    /// - Parameter payload: One JSON object without insignificant white space.
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
