import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// Reads and writes of documents that take effect together, or not at all.
///
/// A pure value over the entities that were loaded for it. If it needs others, they are loaded, and the run starts
/// again. Nothing is stored before ``GraphQLEngine/commit(_:in:)``.
package struct DocumentTransaction: Sendable {
    /// Thrown when entities have to be loaded first; the run then starts again.
    package struct NeedsEntities: Error {}

    /// The library whose entities are read and written.
    package let library: ByteString
    /// The loaded entities, with the transaction's writes over them.
    package private(set) var source = StagedSource()
    /// The entities to load before the next run.
    package private(set) var unloaded: Set<GraphQLKey> = []
    /// The root fields whose lists have to be loaded before the next run.
    package private(set) var unloadedLists: Set<RootName> = []
    /// The root fields that the transaction wrote.
    package private(set) var roots: [FieldResponse.Root] = []
    /// The further operations of the transaction, such as removals.
    package private(set) var operations: [TransactionOperation] = []
    private var knownLists: Set<RootName> = []

    /// Creates a transaction in which nothing is loaded yet.
    package init(library: ByteString) { self.library = library }

    /// Reads a document. Deferred fragments that lack fields are left out.
    ///
    /// - Parameter showsKeys: If true, each entity in `data` shows its key as `__ref`.
    /// - Throws: ``/Tidemark/CacheError`` `cacheMiss`; ``NeedsEntities``.
    package mutating func read(_ plan: OperationPlan, showsKeys: Bool = false) throws -> GraphQLReading {
        unloadedLists.formUnion(plan.rootNames.filter { !knownLists.contains($0) })
        let outcome = DocumentReader.read(
            plan, from: source, freshness: GraphQLFreshness(now: 0, allowsStale: true, ignoresAges: true),
            completeness: .deferred, options: .init(showsKeys: showsKeys))
        switch outcome {
        case .read(let reading):
            guard unloadedLists.isEmpty else { throw NeedsEntities() }
            return reading
        case .missed(let miss, _):
            guard unloadedLists.isEmpty else { throw NeedsEntities() }
            throw GraphQLEngine.GraphQLRefusal.missed(miss).error
        case .unloaded(let keys):
            unloaded.formUnion(keys)
            throw NeedsEntities()
        }
    }

    /// Writes data as the result of a document. An object with a member `__ref` is the entity that it names.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `invalidParams`; ``NeedsEntities``.
    package mutating func write(_ parts: ResponseParts, _ plan: OperationPlan) throws {
        var options = ResponseNormalizer.Options()
        options.takesReferences = true
        let answer = try FieldResponse.made(of: parts, plan, library, options: options)
        let keys = answer.entities.map { GraphQLKey(type: $0.key.type, canonicalID: $0.key.id) }
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
        _ bases: [GraphQLKey: [UInt8]?], _ lists: [RootName: [GraphQLKey]?]
    ) -> DocumentTransaction {
        var fresh = DocumentTransaction(library: library)
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
