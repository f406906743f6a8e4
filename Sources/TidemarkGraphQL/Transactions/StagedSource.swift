import Tidemark
import TidemarkModel
import TidemarkStore

/// The entities that one run of a transaction sees: the stored ones with its own writes over them.
///
/// A value: dropping it undoes everything.
package struct StagedSource: EntitySource {
    /// The stored entities; an inner nil means that there is none. Bounded by what the transaction reads.
    package private(set) var bases: [GraphQLKey: [UInt8]?] = [:]
    /// The fields that the transaction wrote, by entity, in the order of the first write.
    package private(set) var staged: [(key: GraphQLKey, resource: [UInt8])] = []
    private var places: [GraphQLKey: Int] = [:]
    /// The lists that rules maintain, by root field.
    package var lists: [RootName: [GraphQLKey]] = [:]

    /// Creates a source in which nothing is loaded.
    package init() {}

    /// Adds a stored entity; nil if there is none.
    package mutating func load(_ key: GraphQLKey, _ resource: [UInt8]?) { bases.updateValue(resource, forKey: key) }

    /// Returns an entity with the writes of the transaction; `unloaded` if it was not loaded.
    package func look(_ key: GraphQLKey) -> SourceLook {
        guard let base = bases[key] else { return .unloaded }
        let written = places[key].map { staged[$0].resource }
        guard let resource = StagedSource.merged(base, written) else { return .missing(.absent) }
        return .found(EntityView(resource: resource, dates: FieldTimes(rest: FieldTimes.Write(writtenAt: 0))))
    }

    /// Returns nil: transactions read data of any age.
    package func staleSince(_ root: RootName) -> Int64? { nil }

    /// Returns the maintained list of a root field; nil after the transaction has written anything.
    package func list(_ root: RootName) -> [GraphQLKey]? {
        // The maintained lists do not include the transaction's own writes.
        places.isEmpty ? lists[root] : nil
    }

    /// Writes fields of an entity over those written before.
    package mutating func write(_ key: GraphQLKey, _ resource: [UInt8]) {
        if let place = places[key] {
            staged[place].resource = StagedSource.merged(staged[place].resource, resource) ?? resource
        } else {
            places[key] = staged.count
            staged.append((key, resource))
        }
    }

    private static func merged(_ base: [UInt8]?, _ written: [UInt8]?) -> [UInt8]? {
        guard let base, let written else { return written ?? base }
        return base.withUnsafeBytes { base in written.withUnsafeBytes { Merge.byPath($0, into: base).resource } }
    }
}
