import Tidemark
import TidemarkGraphQLStore
import TidemarkModel
import TidemarkOperations
import TidemarkStore
import TidemarkWire

/// Reading, writing and mutating by documents.
extension GraphQLClient {
    /// Fetches a document: from the cache, the server, or both, as the policy says.
    ///
    /// Under `cacheAndNetwork` this is the cache's answer where it has one; ``watch(query:cachePolicy:)`` gives both.
    ///
    /// - Throws: ``CacheError``: `.cacheMiss`, `.upstreamFailed`, `.invalidDocument`, `.invalidParams`,
    ///   `.limitExceeded`, `.storageFailed`; errors of decoding. `CancellationError` when the task is cancelled; a
    ///   request that nobody else waits for ends then, and its connection is closed.
    public func fetch<Operation: GraphQLOperation>(
        query: Operation, cachePolicy: FetchPolicy = .cacheFirst
    ) async throws -> GraphQLResult<Operation.Data> {
        var request = GraphReadRequest(query.request(in: library))
        request.policy = cachePolicy
        return try await read(request, Operation.self)
    }

    /// Fetches a document that is written as text.
    ///
    /// - Throws: The same as ``fetch(query:cachePolicy:)``.
    public func fetch(
        query: GraphQLDocument, cachePolicy: FetchPolicy = .cacheFirst
    ) async throws -> GraphQLResult<JSONValue> {
        var request = GraphReadRequest(query.request(in: library))
        request.policy = cachePolicy
        return try await read(request, GraphQLDocument.self)
    }

    /// Reads a document from the cache alone, whatever its age.
    ///
    /// - Throws: ``CacheError`` `.cacheMiss` when anything that is selected is not there; errors of decoding.
    public func read<Operation: GraphQLOperation>(_ query: Operation) async throws -> Operation.Data {
        var request = GraphReadRequest(query.request(in: library))
        request.policy = .cacheOnly
        request.allowsStale = true
        guard let data = try await read(request, Operation.self).data else {
            throw CacheError(.cacheMiss, "the cache has no data of the document")
        }
        return data
    }

    /// Writes data as the answer to a document. It stands for no place in the log, as what a program writes.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` with the path of a field that is missing; then nothing was stored.
    public func write<Operation: GraphQLOperation>(_ data: Operation.Data, for query: Operation) async throws {
        try await cache.writeGraph(query.request(in: library), parts(data))
    }

    /// Performs a mutation.
    ///
    /// - Parameter optimistic: The data that is hoped for. It is shown at once, as an edit that survives a restart; the
    ///   answer takes its place in one step, and an error takes it back.
    /// - Throws: ``CacheError`` `.upstreamFailed`: after a refusal the edit is gone, after an unknown outcome it stays
    ///   pending; errors of decoding.
    public func perform<Operation: GraphQLOperation>(
        mutation: Operation, optimistic: Operation.Data? = nil
    ) async throws -> GraphQLResult<Operation.Data> {
        let hoped = try optimistic.map { try parts($0) }
        let mutation = GraphMutation(
            mutation.request(in: library), pendingID: GraphMutation.newPendingID(), optimistic: hoped)
        let hasLayer = try await cache.beginGraph(mutation)
        return try decoded(try await cache.finishGraph(mutation, hasLayer: hasLayer), Operation.self)
    }

    /// Performs a mutation when the server can be reached: it is shown at once and sent until the server has answered,
    /// also after a restart. Watchers see the answer; the ids that the server gives take the place of temporary ones.
    ///
    /// - Parameter optimistic: The data that is hoped for, with temporary ids of new objects.
    /// - Returns: The id of the edit, when it is on the disk; the server gets it in every attempt.
    /// - Throws: ``CacheError``; then nothing is shown or sent. Errors of encoding.
    /// - Source: Protocol/graphql.md, mutations in the outbox.
    @discardableResult
    public func enqueue<Operation: GraphQLOperation>(
        mutation: Operation, optimistic: Operation.Data, sending: GraphSending = GraphSending()
    ) async throws -> String {
        let mutation = GraphMutation(
            mutation.request(in: library), pendingID: GraphMutation.newPendingID(), optimistic: try parts(optimistic),
            send: sending.request)
        _ = try await cache.beginGraph(mutation)
        try await cache.finish(mutation.pendingID, isUpdate: true)
        return mutation.pendingID.description
    }

    // MARK: Removing

    /// Removes an object from the cache, without asking the server: `Song:1`, or a root field such as `Query:hero`.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` for text that is no `Type:id`, `.storageFailed`.
    public func remove(object: String) async throws {
        let key = try GraphQLClient.key(object)
        try await cache.transact([.remove(type: key.type, ids: [key.id], matching: nil)], library: library)
    }

    /// Removes one field of an object from the cache.
    ///
    /// - Parameters:
    ///   - field: Its storage name: the name, and its arguments as canonical JSON in brackets where it has some.
    ///   - object: The object as `Type:id`.
    /// - Throws: ``CacheError`` `.invalidParams` when the object is not there.
    public func remove(field: String, of object: String) async throws {
        let key = try GraphQLClient.key(object)
        try await cache.transact(
            [.removeField(type: key.type, id: key.id, field: ByteString(field))], library: library)
    }

    /// Removes everything of the client's library from the cache, pending edits excepted.
    ///
    /// - Throws: ``CacheError`` `.storageFailed`.
    public func clear() async throws {
        try await cache.clear(library.description)
    }

    // MARK: Parts

    static func key(_ text: String) throws(CacheError) -> GraphKey {
        guard let key = GraphKey(text: ByteString(text)) else {
            throw CacheError(.invalidParams, "'\(text)' is no object: pass Type:id")
        }
        return key
    }

    func parts(_ data: some Encodable) throws(CacheError) -> AnswerParts {
        let bytes: [UInt8]
        if let value = data as? any InputConvertible {
            bytes = value.jsonValue.bytes
        } else {
            bytes = try ResourceCoder().encode(data)
        }
        guard bytes.first == UInt8(ascii: "{") else {
            throw CacheError(.invalidParams, "data is no object: pass the data of the operation")
        }
        return AnswerParts(data: bytes, errors: nil)
    }

    private func read<Operation: GraphQLOperation>(
        _ request: GraphReadRequest, _ type: Operation.Type
    ) async throws -> GraphQLResult<Operation.Data> {
        let token = GraphReadToken()
        var request = request
        request.token = token
        let read = request
        let result: Result<GraphReply, CacheError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Task { await cache.readGraph(read) { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            token.cancel()
            Task { await cache.cancelGraph(token) }
        }
        if token.isCancelled { throw CancellationError() }
        return try decoded(result.get().result, type)
    }

    private func decoded<Operation: GraphQLOperation>(
        _ result: GraphResult, _ type: Operation.Type
    ) throws -> GraphQLResult<Operation.Data> {
        try GraphQLResult(result, decodedBy: Operation.data)
    }

    static func json(_ result: GraphResult) -> [UInt8] {
        var line = JSONLine()
        line.object { $0.graphResult(result) }
        return line.bytes
    }
}
