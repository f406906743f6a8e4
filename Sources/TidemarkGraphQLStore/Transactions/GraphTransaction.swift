import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// Reads and writes of documents that take effect together, or not at all.
///
/// A pure value over the entities that were loaded for it. If it needs others, they are loaded, and the run starts
/// again. Nothing is stored before ``SyncCache/commitGraph(_:)``.
package struct GraphTransaction: Sendable {
    /// Thrown when entities have to be loaded first; the run then starts again.
    package struct NeedsEntities: Error {}

    /// The library whose entities are read and written.
    package let library: ByteString
    /// The loaded entities, with the transaction's writes over them.
    package private(set) var source = StagedSource()
    /// The entities to load before the next run.
    package private(set) var unloaded: Set<GraphKey> = []
    /// The root fields whose lists have to be loaded before the next run.
    package private(set) var unloadedLists: Set<GraphRootName> = []
    /// The root fields that the transaction wrote.
    package private(set) var roots: [GraphAnswer.Root] = []
    /// The further operations of the transaction, such as removals.
    package private(set) var operations: [TransactionOperation] = []
    private var knownLists: Set<GraphRootName> = []

    /// Creates a transaction in which nothing is loaded yet.
    package init(library: ByteString) { self.library = library }

    /// Reads a document. Deferred fragments that lack fields are left out.
    ///
    /// - Parameter showsKeys: If true, each entity in `data` shows its key as `__ref`.
    /// - Throws: ``CacheError`` `cacheMiss`; ``NeedsEntities``.
    package mutating func read(_ plan: OperationPlan, showsKeys: Bool = false) throws -> GraphReading {
        unloadedLists.formUnion(plan.rootNames.filter { !knownLists.contains($0) })
        let outcome = DocumentReader.read(
            plan, from: source, freshness: GraphFreshness(now: 0, allowsStale: true, ignoresAges: true),
            completeness: .deferred, options: .init(showsKeys: showsKeys))
        switch outcome {
        case .read(let reading):
            guard unloadedLists.isEmpty else { throw NeedsEntities() }
            return reading
        case .missed(let miss, _):
            guard unloadedLists.isEmpty else { throw NeedsEntities() }
            throw SyncCache.GraphRefusal.missed(miss).error
        case .unloaded(let keys):
            unloaded.formUnion(keys)
            throw NeedsEntities()
        }
    }

    /// Writes data as the result of a document. An object with a member `__ref` is the entity that it names.
    ///
    /// - Throws: ``CacheError`` `invalidParams`; ``NeedsEntities``.
    package mutating func write(_ parts: AnswerParts, _ plan: OperationPlan) throws {
        var options = AnswerNormalizer.Options()
        options.takesReferences = true
        let answer = try GraphAnswer.made(of: parts, plan, library, options: options)
        let keys = answer.entities.map { GraphKey(type: $0.key.type, canonicalID: $0.key.id) }
        unloaded.formUnion(keys.filter { source.bases[$0] == nil })
        guard unloaded.isEmpty else { throw NeedsEntities() }
        for (key, entity) in zip(keys, answer.entities) { source.write(key, entity.resource) }
        roots.removeAll { root in answer.roots.contains { $0.name == root.name } }
        roots += answer.roots
    }

    /// Adds an operation that names its entity.
    package mutating func add(_ operation: TransactionOperation) { operations.append(operation) }

    /// Returns the transaction before its first step, with the entities that it needed.
    package func restarted(
        _ bases: [GraphKey: [UInt8]?], _ lists: [GraphRootName: [GraphKey]?]
    ) -> GraphTransaction {
        var fresh = GraphTransaction(library: library)
        for (key, resource) in source.bases { fresh.source.load(key, resource) }
        for (key, resource) in bases { fresh.source.load(key, resource) }
        fresh.source.lists = source.lists
        fresh.knownLists = knownLists
        for (root, list) in lists {
            fresh.knownLists.insert(root)
            fresh.source.lists[root] = list
        }
        return fresh
    }

    /// True if the run ended because entities or lists have to be loaded.
    package var needsEntities: Bool { !unloaded.isEmpty || !unloadedLists.isEmpty }
}

extension SyncCache {
    /// Loads the entities and lists that a transaction needs.
    ///
    /// - Throws: ``CacheError`` `storageFailed`.
    package func load(_ transaction: GraphTransaction) async throws(CacheError) -> GraphTransaction {
        var bases: [GraphKey: [UInt8]?] = [:]
        for key in transaction.unloaded {
            bases.updateValue(try await base(of: key.entityKey(in: transaction.library)), forKey: key)
        }
        var lists: [GraphRootName: [GraphKey]?] = [:]
        for root in transaction.unloadedLists {
            let keys = graphList(root, in: transaction.library)?.map {
                GraphKey(type: $0.type, canonicalID: $0.id)
            }
            lists.updateValue(keys, forKey: root)
        }
        return transaction.restarted(bases, lists)
    }

    /// Stores the writes of a transaction, unless something that it read has changed since.
    ///
    /// - Throws: ``CacheError``: `conflict`, `limitExceeded`, `storageFailed`. Nothing is stored then.
    package func commitGraph(_ transaction: GraphTransaction) async throws(CacheError) {
        var expecting = TransactionExpectations()
        for (key, resource) in transaction.source.bases {
            expecting.resources.updateValue(resource, forKey: key.entityKey(in: transaction.library))
        }
        var operations: [TransactionOperation] = []
        for entity in transaction.source.staged {
            let key = entity.key.entityKey(in: transaction.library)
            // An entity of which fields were evicted is absent for readers, but writes are merged into it.
            var isThere = transaction.source.bases[entity.key] != .some(nil)
            if !isThere, case .found = graphLook(key, asked: []) { isThere = true }
            operations.append(
                isThere
                    ? .merge(type: key.type, id: key.id, fields: entity.resource)
                    : .keyedPut(type: key.type, id: key.id, resource: entity.resource))
        }
        operations += transaction.operations
        var answer: GraphAnswer?
        if !transaction.roots.isEmpty {
            answer = GraphAnswer(library: transaction.library, entities: [], roots: transaction.roots)
        }
        try await transact(operations, library: transaction.library, expecting: expecting, roots: answer)
    }
}
