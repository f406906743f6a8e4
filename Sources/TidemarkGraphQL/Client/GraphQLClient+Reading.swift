import Tidemark
import TidemarkModel
import TidemarkGraphQLTypes
import TidemarkStore
import TidemarkJSON

/// Reading, writing and mutations.
extension GraphQLClient {
    /// Fetches a query from the cache, the server, or both, as the policy says.
    ///
    /// Under `cacheAndNetwork` it returns the data of the cache if it is complete; `watch(query:)` delivers both
    /// results.
    ///
    /// - Parameters:
    ///   - query: The query with its variables.
    ///   - cachePolicy: Which of cache and server are used, and in which order.
    /// - Returns: The decoded data, and where it came from.
    /// - Throws: ``/Tidemark/CacheError``: `.cacheMiss`, `.upstreamFailed`, `.invalidDocument`, `.invalidParams`,
    ///   `.limitExceeded`, `.storageFailed`; errors of decoding. `CancellationError` if the task is cancelled; the
    ///   request to the server ends too, unless others wait for it.
    public func fetch<Operation: GraphQLOperation>(
        query: Operation, cachePolicy: FetchPolicy = .cacheFirst
    ) async throws -> GraphQLResult<Operation.Data> {
        var request = GraphQLReadRequest(query.request(in: library))
        request.policy = cachePolicy
        return try await read(request, Operation.self)
    }

    /// Fetches a query given as text. Its data is JSON.
    ///
    /// ```swift
    /// let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    /// let result = try await client.fetch(query: "{ hero { name } }")
    /// print(result.data?["hero"]?["name"]?.string ?? "nobody", result.source)
    /// ```
    ///
    /// - Throws: The same as the variant for operations with a Swift type.
    public func fetch(
        query: GraphQLDocument, cachePolicy: FetchPolicy = .cacheFirst
    ) async throws -> GraphQLResult<JSONValue> {
        var request = GraphQLReadRequest(query.request(in: library))
        request.policy = cachePolicy
        return try await read(request, GraphQLDocument.self)
    }

    /// Reads a query from the cache alone, however old its data is.
    ///
    /// ```swift
    /// let client = try await GraphQLClient(cache)
    /// let hero = GraphQLDocument("{ hero { name } }")
    /// try await client.write(["hero": ["name": "Artoo"]], for: hero)
    /// print(try await client.read(hero)["hero"]?["name"]?.string ?? "nobody")
    /// ```
    ///
    /// - Throws: ``/Tidemark/CacheError`` `.cacheMiss` if any selected field is missing; errors of decoding.
    public func read<Operation: GraphQLOperation>(_ query: Operation) async throws -> Operation.Data {
        var request = GraphQLReadRequest(query.request(in: library))
        request.policy = .cacheOnly
        request.allowsStale = true
        guard let data = try await read(request, Operation.self).data else {
            throw CacheError(.cacheMiss, "the cache has no data of the document")
        }
        return data
    }

    /// Writes data as the result of a query, without a position in the log, as every local write.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `.invalidParams` with the path of a missing field; nothing is stored then.
    public func write<Operation: GraphQLOperation>(_ data: Operation.Data, for query: Operation) async throws {
        let request = query.request(in: library)
        let parts = try parts(data)
        try await cache.withWing(GraphQLEngine.self) { (engine, cache) async throws(CacheError) in
            try await engine.write(request, parts, in: cache)
        }
    }

    /// Sends a mutation to the server once and stores its result.
    ///
    /// ```swift
    /// let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    /// let like = GraphQLDocument(
    ///     "mutation($id: ID!) { like(id: $id) { __typename id likes } }", variables: ["id": "1"])
    /// let hoped: JSONValue = ["like": ["__typename": "Song", "id": "1", "likes": 8]]
    /// let result = try await client.perform(mutation: like, optimistic: hoped)
    /// print(result.errors.count)
    /// ```
    ///
    /// - Parameters:
    ///   - mutation: The mutation with its variables.
    ///   - optimistic: The expected data, shown at once as an edit that survives a restart. The server's data replaces
    ///     it in one step; an error rolls it back.
    /// - Throws: ``/Tidemark/CacheError`` `.upstreamFailed`: if the server refused, the edit is rolled back; if the
    ///   outcome is unknown, it stays pending. Errors of decoding.
    public func perform<Operation: GraphQLOperation>(
        mutation: Operation, optimistic: Operation.Data? = nil
    ) async throws -> GraphQLResult<Operation.Data> {
        let hoped = try optimistic.map { try parts($0) }
        let mutation = GraphQLMutation(
            mutation.request(in: library), pendingID: GraphQLMutation.newPendingID(), optimistic: hoped)
        let result = try await cache.withWing(GraphQLEngine.self) { (engine, cache) async throws(CacheError) in
            let hasLayer = try await engine.begin(mutation, in: cache)
            return try await engine.finish(mutation, hasLayer: hasLayer, in: cache)
        }
        return try decoded(result, Operation.self)
    }

    /// Adds a mutation to the outbox: it is shown at once and sent until the server has responded, also after a
    /// restart.
    ///
    /// Watchers see the server's data. The ids that the server assigns replace temporary ones.
    ///
    /// ```swift
    /// let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    /// let add = GraphQLDocument("mutation { addSong(name: \"new\") { __typename id name } }")
    /// let pendingID = try await client.enqueue(
    ///     mutation: add, optimistic: ["addSong": ["__typename": "Song", "id": "temporary-1", "name": "new"]])
    /// print(pendingID)
    /// ```
    ///
    /// - Parameters:
    ///   - mutation: The mutation with its variables.
    ///   - optimistic: The expected data, with temporary ids for new objects.
    ///   - sending: How the outbox sends the mutation.
    /// - Returns: The id of the edit, after it has been written to the disk. The server gets it with every attempt.
    /// - Throws: ``/Tidemark/CacheError``, after which nothing is shown or sent; errors of encoding.
    /// - Source: Protocol/graphql.md, mutations in the outbox.
    @discardableResult
    public func enqueue<Operation: GraphQLOperation>(
        mutation: Operation, optimistic: Operation.Data, sending: GraphQLSending = GraphQLSending()
    ) async throws -> String {
        let mutation = GraphQLMutation(
            mutation.request(in: library), pendingID: GraphQLMutation.newPendingID(), optimistic: try parts(optimistic),
            send: sending.request)
        _ = try await cache.withWing(GraphQLEngine.self) { (engine, cache) async throws(CacheError) in
            try await engine.begin(mutation, in: cache)
        }
        try await cache.finish(mutation.pendingID, isUpdate: true)
        return mutation.pendingID.description
    }

    // MARK: Removing

    /// Removes an object from the cache. The server is not involved.
    ///
    /// ```swift
    /// let client = try await GraphQLClient(cache)
    /// try await client.remove(object: "Song:1")
    /// try await client.remove(field: #"friends({"first":10})"#, of: "Person:7")
    /// ```
    ///
    /// - Parameter object: The object as `Type:id`, such as `Song:1`, or a root field such as `Query:hero`.
    /// - Throws: ``/Tidemark/CacheError``: `.invalidParams` if the text is not of the form `Type:id`, `.storageFailed`.
    public func remove(object: String) async throws {
        let key = try GraphQLClient.key(object)
        try await cache.transact([.remove(type: key.type, ids: [key.id], matching: nil)], library: library)
    }

    /// Removes one field of an object from the cache. The server is not involved.
    ///
    /// - Parameters:
    ///   - field: The storage name: the name of the field, followed by its arguments, if any, as canonical JSON in
    ///     brackets.
    ///   - object: The object as `Type:id`.
    /// - Throws: ``/Tidemark/CacheError`` `.invalidParams` if the object is not in the cache.
    public func remove(field: String, of object: String) async throws {
        let key = try GraphQLClient.key(object)
        try await cache.transact(
            [.removeField(type: key.type, id: key.id, field: ByteString(field))], library: library)
    }

    /// Removes everything in the client's library from the cache, except pending edits.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `.storageFailed`.
    public func clear() async throws {
        try await cache.clear(library.description)
    }

    // MARK: Parts

    static func key(_ text: String) throws(CacheError) -> GraphQLKey {
        guard let key = GraphQLKey(text: ByteString(text)) else {
            throw CacheError(.invalidParams, "'\(text)' is no object: pass Type:id")
        }
        return key
    }

    func parts(_ data: some Encodable) throws(CacheError) -> ResponseParts {
        let bytes: [UInt8]
        if let value = data as? any InputConvertible {
            bytes = value.jsonValue.bytes
        } else {
            bytes = try ResourceCoder().encode(data)
        }
        guard bytes.first == UInt8(ascii: "{") else {
            throw CacheError(.invalidParams, "data is no object: pass the data of the operation")
        }
        return ResponseParts(data: bytes, errors: nil)
    }

    private func read<Operation: GraphQLOperation>(
        _ request: GraphQLReadRequest, _ type: Operation.Type
    ) async throws -> GraphQLResult<Operation.Data> {
        let token = GraphQLReadToken()
        var request = request
        request.token = token
        let read = request
        let result: Result<GraphQLReply, CacheError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Task {
                    await cache.withWing(GraphQLEngine.self) { engine, cache in
                        await engine.read(read, in: cache) { continuation.resume(returning: $0) }
                    }
                }
            }
        } onCancel: {
            token.cancel()
            Task {
                await cache.withWing(GraphQLEngine.self) { engine, cache in engine.cancel(token, in: cache) }
            }
        }
        if token.isCancelled { throw CancellationError() }
        return try decoded(result.get().result, type)
    }

    private func decoded<Operation: GraphQLOperation>(
        _ result: DocumentResult, _ type: Operation.Type
    ) throws -> GraphQLResult<Operation.Data> {
        try GraphQLResult(result, decodedBy: Operation.data)
    }

    static func json(_ result: DocumentResult) -> [UInt8] {
        var line = JSONLine()
        line.object { $0.graphResult(result) }
        return line.bytes
    }
}
