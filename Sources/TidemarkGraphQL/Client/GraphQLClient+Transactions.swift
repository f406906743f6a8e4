import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkGraphQLTypes

/// A consistent view for reading queries: all reads see the data stored at one moment, without pending edits.
public struct GraphQLReadTransaction {
    var transaction: DocumentTransaction
    let client: GraphQLClient

    /// Reads a query, however old its data is.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `.cacheMiss`, `.invalidDocument`, `.invalidParams`; errors of decoding.
    public mutating func read<Operation: GraphQLOperation>(_ query: Operation) throws -> Operation.Data {
        try Operation.data(from: transaction.read(try client.plan(query)).data, failures: [])
    }
}

/// Reads and writes that take effect together, or not at all.
///
/// Reads see the transaction's own writes, and no pending edits.
public struct GraphQLReadWriteTransaction {
    var transaction: DocumentTransaction
    let client: GraphQLClient

    /// Reads a query, however old its data is.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `.cacheMiss`, `.invalidDocument`, `.invalidParams`; errors of decoding.
    public mutating func read<Operation: GraphQLOperation>(_ query: Operation) throws -> Operation.Data {
        try Operation.data(from: transaction.read(try client.plan(query)).data, failures: [])
    }

    /// Writes data as the result of a query.
    ///
    /// Objects that become entities need their `__typename` and their key fields in the data.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `.invalidParams` with the path of a missing field.
    public mutating func write<Operation: GraphQLOperation>(_ data: Operation.Data, for query: Operation) throws {
        try transaction.write(try client.parts(data), try client.plan(query))
    }

    /// Reads the data of a query, lets `body` change it, and writes it.
    ///
    /// Objects keep their keys, even if the query does not select them. In a list, objects that `body` leaves unchanged
    /// may be moved and removed; new ones need a `__typename` and a key in the data.
    ///
    /// - Throws: ``/Tidemark/CacheError``: `.cacheMiss` if the data is not in the cache, `.invalidParams` if an
    ///   object's key is unknown; any error of `body`; errors of decoding.
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
        try transaction.write(ResponseParts(data: whole.bytes, errors: nil), plan)
    }

    /// Reads the data of a generated operation, lets `body` change it, and writes it.
    ///
    /// ```text
    /// try transaction.update(HeroName.self, HeroName.Variables(episode: .value(.jedi))) { $0.hero?.name = "Artoo" }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the operation.
    ///   - variables: The operation with its variables.
    ///   - body: Changes the data.
    /// - Throws: The same as ``update(_:_:)``.
    public mutating func update<Operation: TypedOperation>(
        _ type: Operation.Type, _ variables: Operation.Variables, _ body: (inout Operation.Data) throws -> Void
    ) throws {
        try update(variables, body)
    }

    /// Removes an object when the transaction is committed.
    ///
    /// - Parameter object: The object as `Type:id`, such as `Song:1`, or a root field such as `Query:hero`.
    /// - Throws: ``/Tidemark/CacheError`` `.invalidParams` if the text is not of the form `Type:id`.
    public mutating func remove(object: String) throws {
        let key = try GraphQLClient.key(object)
        transaction.add(.remove(type: key.type, ids: [key.id], matching: nil))
    }

    /// Removes one field of an object, named by its storage name, when the transaction is committed.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `.invalidParams` if the text is not of the form `Type:id`.
    public mutating func remove(field: String, of object: String) throws {
        let key = try GraphQLClient.key(object)
        transaction.add(.removeField(type: key.type, id: key.id, field: ByteString(field)))
    }
}

extension GraphQLClient {
    /// How often a transaction's body runs again because another writer changed what it read.
    private static let retryCount = 10
    /// How often a transaction's body may run because entities had to be loaded; each run loads what the deepest read
    /// needed.
    private static let loadCountMax = 1_000

    /// Reads several queries as they were at one moment.
    ///
    /// `body` runs again if entities have to be loaded first, or if another writer changed what it read.
    ///
    /// ```swift
    /// let client = try await GraphQLClient(cache)
    /// let names = try await client.withinReadTransaction { transaction in
    ///     let hero = try transaction.read("{ hero { name } }" as GraphQLDocument)
    ///     let villain = try transaction.read("{ villain { name } }" as GraphQLDocument)
    ///     return [hero["hero"]?["name"]?.string, villain["villain"]?["name"]?.string]
    /// }
    /// print(names)
    /// ```
    ///
    /// - Throws: Any error of `body`; ``/Tidemark/CacheError``: `.conflict` if the data it read kept changing,
    ///   `.storageFailed`.
    public func withinReadTransaction<Value: Sendable>(
        _ body: @Sendable (inout GraphQLReadTransaction) throws -> Value
    ) async throws -> Value {
        try await run { transaction in
            var reading = GraphQLReadTransaction(transaction: transaction, client: self)
            defer { transaction = reading.transaction }
            return try body(&reading)
        }
    }

    /// Reads and writes several queries as one unit: all writes or none are stored, and each watcher gets one
    /// notification.
    ///
    /// If `body` throws, nothing is stored. Transactions of a cache run one after another. `body` runs again if
    /// entities have to be loaded first, or if an event or a response changed what it read, so it must have no effect
    /// but its return value.
    ///
    /// ```swift
    /// let client = try await GraphQLClient(cache)
    /// let hero = GraphQLDocument("{ hero { name } }")
    /// try await client.withinReadWriteTransaction { transaction in
    ///     try transaction.update(hero) { (data: inout JSONValue) in
    ///         data = ["hero": ["name": "Artoo"]]
    ///     }
    /// }
    /// ```
    ///
    /// - Throws: Any error of `body`; ``/Tidemark/CacheError``: `.conflict` if the data it read kept changing,
    ///   `.limitExceeded`, `.storageFailed`.
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

    /// Runs a body after the transactions before it have ended.
    ///
    /// Without turns, many transactions that change one entity would force each other to run again, and some might
    /// never end. Events and responses take no turn: after a conflict with one of them the body runs again.
    private func run<Value>(_ body: (inout DocumentTransaction) throws -> Value) async throws -> Value {
        await cache.beginTransactionTurn()
        do {
            let value = try await runInTurn(body)
            await cache.endTransactionTurn()
            return value
        } catch {
            await cache.endTransactionTurn()
            throw error
        }
    }

    /// Runs a body until everything it needs is loaded and nothing that it read was changed.
    private func runInTurn<Value>(_ body: (inout DocumentTransaction) throws -> Value) async throws -> Value {
        var conflictCount = 0
        while true {
            let (transaction, outcome) = try await loaded(body)
            let value = try outcome.get()
            do throws(CacheError) {
                try await cache.withWing(GraphQLEngine.self) { (engine, cache) async throws(CacheError) in
                    try await engine.commit(transaction, in: cache)
                }
                return value
            } catch {
                guard error.code == .conflict, conflictCount < GraphQLClient.retryCount else { throw error }
                conflictCount += 1
                try Task.checkCancellation()
            }
        }
    }

    private func loaded<Value>(
        _ body: (inout DocumentTransaction) throws -> Value
    ) async throws -> (DocumentTransaction, Result<Value, any Error>) {
        var transaction = DocumentTransaction(library: library)
        for _ in 0..<GraphQLClient.loadCountMax {
            let outcome = Result { try body(&transaction) }
            // The body may have caught the error, but a run that lacked entities does not count.
            guard transaction.needsEntities else { return (transaction, outcome) }
            transaction = try await cache.withWing(GraphQLEngine.self) {
                [transaction] (engine, cache) async throws(CacheError) in
                try await engine.load(transaction, in: cache)
            }
        }
        throw CacheError(
            .limitExceeded, "the transaction needed other entities in each of \(GraphQLClient.loadCountMax) runs")
    }

    /// Returns the plan of an operation.
    func plan(_ operation: some GraphQLOperation) throws(CacheError) -> OperationPlan {
        let request = operation.request(in: library)
        let document = try document(operation.document)
        do throws(DocumentError) {
            return try document.plan(operation: request.operationName, variables: request.variables.map(\.bytes))
        } catch {
            throw error.cacheError
        }
    }
}
