import Tidemark
import TidemarkModel
import TidemarkStore

/// The entities of a cache as a source for reads, valid within one step of the cache's actor.
struct CacheSource: EntitySource, ~Escapable {
    private let reading: CacheReading

    @_lifetime(copy reading)
    init(_ reading: CacheReading) { self.reading = reading }

    func look(_ key: GraphQLKey) -> SourceLook {
        switch reading.look(key.entityKey(in: reading.library)) {
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

    func typeNumber(of type: ByteString) -> TypeIndex? { reading.typeNumber(of: type) }

    @inline(__always)
    func lend(_ type: TypeIndex, _ id: UnsafeRawBufferPointer) -> LentEntity? { reading.lend(type, id) }

    func staleSince(_ root: RootName) -> Int64? { reading.staleSince(root) }

    func list(_ root: RootName) -> [GraphQLKey]? {
        reading.list(root)?.map { GraphQLKey(type: $0.type, canonicalID: $0.id) }
    }

    /// Returns the keys to load, among those that a read found only in the journal.
    fileprivate func storedKeys(_ keys: [GraphQLKey]) -> [StoredKey] {
        keys.compactMap { key in
            guard case .elsewhere(let stored) = reading.look(key.entityKey(in: reading.library)) else { return nil }
            return stored
        }
    }
}

extension GraphQLEngine {
    /// Reads a document from the entities in memory.
    ///
    /// - Parameters:
    ///   - key: The entity that a fragment's plan reads; nil for an operation.
    ///   - asked: The keys that the journal has already been asked for.
    /// - Returns: The outcome, and the keys to load if it is `unloaded`.
    func readEntities(
        _ plan: OperationPlan, library: ByteString, key: GraphQLKey? = nil, asked: Set<StoredKey>,
        freshness: GraphQLFreshness, completeness: GraphQLCompleteness = .whole, options: GraphQLReadOptions = .init(),
        in cache: isolated SyncCache
    ) -> (outcome: GraphQLReadOutcome, unloaded: [StoredKey]) {
        cache.withReading(of: library, asked: asked) { reading in
            let source = CacheSource(reading)
            let outcome = DocumentReader.read(
                plan, from: source, key: key, freshness: freshness, completeness: completeness, options: options)
            guard case .unloaded(let keys) = outcome else { return (outcome, []) }
            return (outcome, source.storedKeys(keys))
        }
    }
}
