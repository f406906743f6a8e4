import Tidemark
import TidemarkModel
import TidemarkStore

/// The entities of a cache as a source for reads, valid within one step of the cache's actor.
struct CacheSource: EntitySource {
    /// The cache's state. The cache owns it, and it is valid for this step.
    private let state: UnsafeMutablePointer<CacheState>
    private let library: ByteString
    /// The library's number; nil if the cache has no data of the library.
    private let libraryNumber: LibraryIndex?
    /// The keys that the journal has already been asked for.
    private let asked: Set<StoredKey>
    /// Milliseconds since 1970.
    private let now: Int64

    init(
        _ state: UnsafeMutablePointer<CacheState>, library: ByteString, asked: Set<StoredKey>, now: Int64
    ) {
        self.state = state
        self.library = library
        self.asked = asked
        self.now = now
        libraryNumber = state.pointee.libraryNumber(of: library)
    }

    func look(_ key: GraphKey) -> EntityLook {
        switch state.pointee.graphLook(key.entityKey(in: library), asked: asked) {
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

    func typeNumber(of type: ByteString) -> TypeIndex? {
        libraryNumber == nil ? nil : state.pointee.typeNumber(of: type)
    }

    @inline(__always)
    func lend(_ type: TypeIndex, _ id: UnsafeRawBufferPointer) -> LentEntity? {
        guard let libraryNumber else { return nil }
        return state.pointee.lend(library: libraryNumber, type: type, id: id)
    }

    func staleSince(_ root: GraphRootName) -> Int64? { state.pointee.staleSince(root: root, in: library, at: now) }

    func list(_ root: GraphRootName) -> [GraphKey]? {
        state.pointee.rootList(of: root, in: library)?.map { GraphKey(type: $0.type, canonicalID: $0.id) }
    }

    /// Returns the keys to load, among those that a read found only in the journal.
    fileprivate func storedKeys(_ keys: [GraphKey]) -> [StoredKey] {
        keys.compactMap { key in
            guard case .elsewhere(let stored) = state.pointee.graphLook(key.entityKey(in: library), asked: asked)
            else { return nil }
            return stored
        }
    }
}

extension SyncCache {
    /// Reads a document from the entities in memory.
    ///
    /// - Parameters:
    ///   - key: The entity that a fragment's plan reads; nil for an operation.
    ///   - asked: The keys that the journal has already been asked for.
    /// - Returns: The outcome, and the keys to load if it is `unloaded`.
    func readEntities(
        _ plan: OperationPlan, library: ByteString, key: GraphKey? = nil, asked: Set<StoredKey>,
        freshness: GraphFreshness, completeness: GraphCompleteness = .whole, options: GraphReadOptions = .init()
    ) -> (outcome: GraphReadOutcome, unloaded: [StoredKey]) {
        let now = now
        return withGraphState { state in
            let source = CacheSource(state, library: library, asked: asked, now: now)
            let outcome = DocumentReader.read(
                plan, from: source, key: key, freshness: freshness, completeness: completeness, options: options)
            guard case .unloaded(let keys) = outcome else { return (outcome, []) }
            return (outcome, source.storedKeys(keys))
        }
    }
}
