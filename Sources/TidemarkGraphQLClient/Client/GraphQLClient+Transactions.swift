import Tidemark
import TidemarkGraphQL
import TidemarkGraphQLStore
import TidemarkModel
import TidemarkOperations

/// Reads of documents that are consistent: they see what was stored at one moment, pending edits not included.
public struct GraphQLReadTransaction {
    var transaction: GraphTransaction
    let client: GraphQLClient

    /// Reads a document, whatever its age.
    ///
    /// - Throws: ``CacheError`` `.cacheMiss`, `.invalidDocument`, `.invalidParams`; errors of decoding.
    public mutating func read<Operation: GraphQLOperation>(_ query: Operation) throws -> Operation.Data {
        try Operation.data(from: transaction.read(try client.plan(query)).data, failures: [])
    }
}

/// Reads and writes of documents that are made together, or not at all.
///
/// Reads include the transaction's own writes.
public struct GraphQLReadWriteTransaction {
    var transaction: GraphTransaction
    let client: GraphQLClient

    /// Reads a document, whatever its age.
    ///
    /// - Throws: ``CacheError`` `.cacheMiss`, `.invalidDocument`, `.invalidParams`; errors of decoding.
    public mutating func read<Operation: GraphQLOperation>(_ query: Operation) throws -> Operation.Data {
        try Operation.data(from: transaction.read(try client.plan(query)).data, failures: [])
    }

    /// Writes data as the answer to a document.
    ///
    /// Objects that are to be entities have a `__typename` and their key in the data.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` with the path of a field that is missing.
    public mutating func write<Operation: GraphQLOperation>(_ data: Operation.Data, for query: Operation) throws {
        try transaction.write(try client.parts(data), try client.plan(query))
    }

    /// Reads a document, lets `body` change its data, and writes it.
    ///
    /// The objects keep their keys, whether the document selects them or not. In a list, objects that `body` leaves as
    /// they are may be moved and removed; new ones have a `__typename` and a key in the data.
    ///
    /// - Throws: ``CacheError`` `.cacheMiss` when the document is not there, `.invalidParams` when an object's key is
    ///   not known; any error of `body`; errors of decoding.
    public mutating func update<Operation: GraphQLOperation>(
        _ query: Operation, _ body: (inout Operation.Data) throws -> Void
    ) throws {
        let plan = try client.plan(query)
        let shown = try transaction.read(plan).data
        let full = try JSONValue(parsing: transaction.read(plan, showsKeys: true).data)
        var data = try Operation.data(from: shown, failures: [])
        try body(&data)
        let changed = try JSONValue(parsing: try client.parts(data).data)
        let whole = try KeyOverlay.restored(changed, try JSONValue(parsing: shown), full, path: [])
        try transaction.write(AnswerParts(data: whole.bytes, errors: nil), plan)
    }

    /// Reads a generated operation, lets `body` change its data, and writes it.
    ///
    /// ```swift
    /// try transaction.update(HeroName.self, HeroName.Variables(episode: .value(.jedi))) { $0.hero?.name = "Artoo" }
    /// ```
    ///
    /// - Throws: The same as ``update(_:_:)``.
    public mutating func update<Operation: TypedOperation>(
        _ type: Operation.Type, _ variables: Operation.Variables, _ body: (inout Operation.Data) throws -> Void
    ) throws {
        try update(variables, body)
    }

    /// Removes an object: `Song:1`, or a root field such as `Query:hero`. It is gone when the transaction is applied.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` for text that is no `Type:id`.
    public mutating func remove(object: String) throws {
        let key = try GraphQLClient.key(object)
        transaction.add(.remove(type: key.type, ids: [key.id], matching: nil))
    }

    /// Removes one field of an object, by its storage name.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` for text that is no `Type:id`.
    public mutating func remove(field: String, of object: String) throws {
        let key = try GraphQLClient.key(object)
        transaction.add(.removeField(type: key.type, id: key.id, field: ByteString(field)))
    }
}

extension GraphQLClient {
    /// The runs of a transaction's body after the first, each because another writer changed what it read.
    private static let retryCount = 10
    /// The runs that may end because something had to be loaded: each loads what the deepest read needed.
    private static let loadCountMax = 1_000

    /// Reads several documents as they were at one moment.
    ///
    /// `body` runs again when something has to be loaded first, and when another writer changed what it read.
    ///
    /// - Throws: Any error of `body`; ``CacheError`` `.conflict` when what it read kept changing, `.storageFailed`.
    public func withinReadTransaction<Value: Sendable>(
        _ body: @Sendable (inout GraphQLReadTransaction) throws -> Value
    ) async throws -> Value {
        try await run { transaction in
            var reading = GraphQLReadTransaction(transaction: transaction, client: self)
            defer { transaction = reading.transaction }
            return try body(&reading)
        }
    }

    /// Reads and writes several documents: all of it or nothing, with one notification for each watcher.
    ///
    /// When `body` throws, nothing is stored. Transactions of one cache run one after another. `body` runs again when
    /// something has to be loaded first, and when an event or an answer changed what it read: it must have no effect
    /// but its return value.
    ///
    /// ```swift
    /// try await client.withinReadWriteTransaction { transaction in
    ///     try transaction.update(hero) { (data: inout JSONValue) in … }
    /// }
    /// ```
    ///
    /// - Throws: Any error of `body`; ``CacheError`` `.conflict` when what it read kept changing, `.limitExceeded`,
    ///   `.storageFailed`.
    @discardableResult
    public func withinReadWriteTransaction<Value: Sendable>(
        _ body: @Sendable (inout GraphQLReadWriteTransaction) throws -> Value
    ) async throws -> Value {
        try await run { transaction in
            var writing = GraphQLReadWriteTransaction(transaction: transaction, client: self)
            defer { transaction = writing.transaction }
            return try body(&writing)
        }
    }

    /// Runs a body when the transactions before it have ended.
    ///
    /// Without turns many transactions that change one entity would make each other run again and again, and some
    /// would never end. Events and answers take no turn: a conflict with one of them lets the body run again.
    private func run<Value>(_ body: (inout GraphTransaction) throws -> Value) async throws -> Value {
        await cache.beginGraphTransaction()
        do {
            let value = try await runInTurn(body)
            await cache.endGraphTransaction()
            return value
        } catch {
            await cache.endGraphTransaction()
            throw error
        }
    }

    /// Runs a body until it has everything that it needs and nothing that it read was changed.
    private func runInTurn<Value>(_ body: (inout GraphTransaction) throws -> Value) async throws -> Value {
        var conflictCount = 0
        while true {
            let (transaction, outcome) = try await loaded(body)
            let value = try outcome.get()
            do throws(CacheError) {
                try await cache.commitGraph(transaction)
                return value
            } catch {
                guard error.code == .conflict, conflictCount < GraphQLClient.retryCount else { throw error }
                conflictCount += 1
                try Task.checkCancellation()
            }
        }
    }

    private func loaded<Value>(
        _ body: (inout GraphTransaction) throws -> Value
    ) async throws -> (GraphTransaction, Result<Value, any Error>) {
        var transaction = GraphTransaction(library: library)
        for _ in 0..<GraphQLClient.loadCountMax {
            let outcome = Result { try body(&transaction) }
            // A body may have caught the error: what it did without the entities does not count.
            guard transaction.needsEntities else { return (transaction, outcome) }
            transaction = try await cache.load(transaction)
        }
        throw CacheError(
            .limitExceeded, "the transaction needed other entities in each of \(GraphQLClient.loadCountMax) runs")
    }

    /// Plans an operation.
    func plan(_ operation: some GraphQLOperation) throws(CacheError) -> OperationPlan {
        let request = operation.request(in: library)
        let document = try document(operation.document)
        do throws(DocumentRefusal) {
            return try document.plan(operation: request.operationName, variables: request.variables.map(\.bytes))
        } catch {
            throw error.cacheError
        }
    }
}
