import Tidemark
import TidemarkModel
import TidemarkStore

/// A cache as a source of entities, inside one step of its actor.
struct CacheSource: EntitySource {
    let cache: SyncCache
    let library: ByteString
    /// Keys that the journal was asked for already.
    let asked: Set<StoredKey>

    func look(_ key: GraphKey) -> EntityLook {
        switch cache.assumeIsolated({ $0.graphLook(key.entityKey(in: library), asked: asked) }) {
        case .absent: .missing(.absent)
        case .deleted: .missing(.deleted)
        case .evicted: .missing(.evicted)
        case .elsewhere: .unloaded
        case .found(let entity):
            .found(
                EntityView(
                    resource: entity.resource,
                    dates: FieldTimes(
                        rest: FieldTimes.Write(writtenAt: entity.writtenAt, sequence: entity.sequence),
                        named: entity.named.mapValues {
                            FieldTimes.Write(writtenAt: $0.writtenAt, sequence: $0.sequence)
                        }),
                    isPending: entity.isPending, isReduced: !entity.isWhole))
        }
    }

    func staleSince(_ root: GraphRootName) -> Int64? {
        cache.assumeIsolated { $0.graphStaleSince(root, in: library) }
    }

    func list(_ root: GraphRootName) -> [GraphKey]? {
        cache.assumeIsolated { $0.graphList(root, in: library) }?.map { GraphKey(type: $0.type, canonicalID: $0.id) }
    }

    /// Returns the keys to load among those that a read found to be elsewhere.
    func storedKeys(_ keys: [GraphKey]) -> [StoredKey] {
        keys.compactMap { key in
            guard
                case .elsewhere(let stored) = cache.assumeIsolated({ cache in
                    cache.graphLook(key.entityKey(in: library), asked: asked)
                })
            else { return nil }
            return stored
        }
    }
}
