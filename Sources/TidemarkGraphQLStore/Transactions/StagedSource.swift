import Tidemark
import TidemarkModel
import TidemarkStore

/// The entities that one run of a transaction sees: those that are stored, with its own writes over them.
///
/// A value: throwing it away undoes everything.
package struct StagedSource: EntitySource {
    /// The entities as they are stored; an inner nil: there is none. Bounded by what the transaction reads.
    package private(set) var bases: [GraphKey: [UInt8]?] = [:]
    /// The fields that the transaction wrote, by entity, in the order of the first write.
    package private(set) var staged: [(key: GraphKey, resource: [UInt8])] = []
    private var places: [GraphKey: Int] = [:]
    /// The lists that follow a rule, by root field.
    package var lists: [GraphRootName: [GraphKey]] = [:]

    package init() {}

    package mutating func load(_ key: GraphKey, _ resource: [UInt8]?) { bases.updateValue(resource, forKey: key) }

    package func look(_ key: GraphKey) -> EntityLook {
        guard let base = bases[key] else { return .unloaded }
        let written = places[key].map { staged[$0].resource }
        guard let resource = StagedSource.merged(base, written) else { return .missing(.absent) }
        return .found(EntityView(resource: resource, dates: FieldTimes(rest: FieldTimes.Write(writtenAt: 0))))
    }

    package func staleSince(_ root: GraphRootName) -> Int64? { nil }

    package func list(_ root: GraphRootName) -> [GraphKey]? {
        // Writes of the transaction come before the cache.
        places.isEmpty ? lists[root] : nil
    }

    package mutating func write(_ key: GraphKey, _ resource: [UInt8]) {
        if let place = places[key] {
            staged[place].resource = StagedSource.merged(staged[place].resource, resource) ?? resource
        } else {
            places[key] = staged.count
            staged.append((key, resource))
        }
    }

    private static func merged(_ base: [UInt8]?, _ written: [UInt8]?) -> [UInt8]? {
        guard let base, let written else { return written ?? base }
        return base.withUnsafeBytes { base in written.withUnsafeBytes { Merge.graph($0, into: base).resource } }
    }
}
