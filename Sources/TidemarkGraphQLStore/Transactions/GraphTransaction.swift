import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// Reads and writes of documents that are made together, or not at all.
///
/// A pure value over the entities that were loaded for it: what it needs beside them is asked for, and the run begins
/// again. Nothing is stored before ``SyncCache/commitGraph(_:)``.
package struct GraphTransaction: Sendable {
    /// Thrown when entities have to be loaded first; the run ends and begins again.
    package struct NeedsEntities: Error {}

    package let library: ByteString
    package private(set) var source = StagedSource()
    /// The entities to be loaded before the next run.
    package private(set) var unloaded: Set<GraphKey> = []
    /// The root fields whose lists have to be known before the next run.
    package private(set) var unloadedLists: Set<GraphRootName> = []
    package private(set) var roots: [GraphAnswer.Root] = []
    package private(set) var operations: [TransactionOperation] = []
    private var knownLists: Set<GraphRootName> = []

    package init(library: ByteString) { self.library = library }

    /// Reads a document. A deferred fragment may lack fields, and is left out then.
    ///
    /// - Parameter showsKeys: Whether each entity in `data` has its key as `__ref`.
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

    /// Writes data as the answer to a document. An object with a member `__ref` is that entity.
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

    /// Returns the same transaction before its first step, with the entities that it asked for.
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

    /// Whether the run ended because something has to be loaded.
    package var needsEntities: Bool { !unloaded.isEmpty || !unloadedLists.isEmpty }
}

extension SyncCache {
    /// Loads what a transaction asked for.
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

    /// Stores what a transaction wrote, if nothing that it read has changed since.
    ///
    /// - Throws: ``CacheError``: `conflict`, `limitExceeded`, `storageFailed`; then nothing was stored.
    package func commitGraph(_ transaction: GraphTransaction) async throws(CacheError) {
        var expecting = TransactionExpectations()
        for (key, resource) in transaction.source.bases {
            expecting.resources.updateValue(resource, forKey: key.entityKey(in: transaction.library))
        }
        var operations: [TransactionOperation] = []
        for entity in transaction.source.staged {
            let key = entity.key.entityKey(in: transaction.library)
            // An entity of which some fields were evicted counts as absent for readers, and is merged into.
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
