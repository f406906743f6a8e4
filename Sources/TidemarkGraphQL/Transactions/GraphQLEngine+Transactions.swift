import Tidemark
import TidemarkModel
import TidemarkStore

/// Loading what a transaction needs, and storing what it wrote.
extension GraphQLEngine {
    /// Loads the entities and lists that a transaction needs.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `storageFailed`.
    package func load(_ transaction: DocumentTransaction, in cache: isolated SyncCache) async throws(CacheError)
        -> DocumentTransaction
    {
        var bases: [GraphQLKey: [UInt8]?] = [:]
        for key in transaction.unloaded {
            bases.updateValue(try await cache.base(of: key.entityKey(in: transaction.library)), forKey: key)
        }
        var lists: [RootName: [GraphQLKey]?] = [:]
        for root in transaction.unloadedLists {
            let keys = cache.withReading(of: transaction.library, { $0.list(root) })?.map {
                GraphQLKey(type: $0.type, canonicalID: $0.id)
            }
            lists.updateValue(keys, forKey: root)
        }
        return transaction.restarted(bases, lists)
    }

    /// Stores the writes of a transaction, unless something that it read has changed since.
    ///
    /// - Throws: ``/Tidemark/CacheError``: `conflict`, `limitExceeded`, `storageFailed`. Nothing is stored then.
    package func commit(_ transaction: DocumentTransaction, in cache: isolated SyncCache) async throws(CacheError) {
        var expecting = TransactionExpectations()
        for (key, resource) in transaction.source.bases {
            expecting.resources.updateValue(resource, forKey: key.entityKey(in: transaction.library))
        }
        var operations: [TransactionOperation] = []
        for entity in transaction.source.staged {
            let key = entity.key.entityKey(in: transaction.library)
            // An entity of which fields were evicted is absent for readers, but writes are merged into it.
            var isThere = transaction.source.bases[entity.key] != .some(nil)
            if !isThere, case .found = cache.withReading(of: transaction.library, { $0.look(key) }) { isThere = true }
            operations.append(
                isThere
                    ? .merge(type: key.type, id: key.id, fields: entity.resource)
                    : .keyedPut(type: key.type, id: key.id, resource: entity.resource))
        }
        operations += transaction.operations
        var answer: FieldResponse?
        if !transaction.roots.isEmpty {
            answer = FieldResponse(library: transaction.library, entities: [], roots: transaction.roots)
        }
        try await cache.transact(operations, library: transaction.library, expecting: expecting, roots: answer)
    }
}
