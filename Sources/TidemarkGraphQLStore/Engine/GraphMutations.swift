import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// The server that the outbox asks: mutations of documents go to the server of GraphQL, other requests to the next one.
///
/// - Source: Protocol/graphql.md, mutations; Protocol/optimistic.md, the outbox.
struct GraphMutations: MutationUpstream {
    private let sendDocument: @Sendable (SentMutation) async -> Result<OptimisticCommit, UpstreamError>
    private let next: (any MutationUpstream)?

    /// - Parameter next: The server of all other requests; nil where nobody performs them.
    init(_ cache: SyncCache, next: (any MutationUpstream)?) {
        // The cache owns its outbox, and the outbox this.
        sendDocument = { [weak cache] mutation in
            guard let cache else { return .failure(UpstreamError("the cache is closed")) }
            return await cache.sendGraph(mutation)
        }
        self.next = next
    }

    func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
        if mutation.method == GraphMutation.method { return try await sendDocument(mutation).get() }
        guard let next else { throw UpstreamError("nobody performs '\(mutation.method)': only documents are sent") }
        return try await next.send(mutation)
    }
}

/// The first outcome of a mutation that the outbox sends, for the caller that waits for it.
enum GraphMutationOutcome {
    /// The caller does not wait yet: it waits for the disk first.
    case expected
    case waiting(CheckedContinuation<Result<GraphResult, CacheError>, Never>)
    case known(Result<GraphResult, CacheError>)
}

/// The reason why an attempt to perform a mutation failed.
enum GraphMutationFault: Error {
    case unanswered(UpstreamError)
    /// The answer came and cannot be stored.
    case unusable(CacheError)
}

extension GraphMutation {
    /// The method under which the outbox keeps mutations of documents.
    package static let method: ByteString = "graphql.mutate"

    /// The input of the request that the outbox keeps: what is needed to ask again.
    var input: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("document", Optional(request.document))
            line.member("operation_name", request.operationName)
            line.member("variables", json: request.variables.map(\.bytes))
        }
        return line.bytes
    }

    /// The request that is stored with the layer; nil when the outbox does not send it.
    var stored: MutationRequest? {
        guard let sending else { return nil }
        var request = MutationRequest(method: GraphMutation.method, compactInput: input)
        request.key = sending.key
        request.attemptCountMax = sending.attemptCountMax
        request.duration = sending.duration
        request.onFailure = sending.onFailure
        request.discardsOnFailure = sending.discardsOnFailure
        return request
    }

    /// Reads a mutation that the outbox kept.
    ///
    /// - Throws: ``UpstreamError`` for one that cannot be read, because another program wrote it.
    init(_ sent: SentMutation) throws(UpstreamError) {
        do throws(CacheError) {
            let params = try Params(JSONSlice(validated: sent.input[...]), path: "input")
            self.init(
                GraphRequest(
                    try params.requiredText("document"), operationName: try params.text("operation_name"),
                    variables: params.value("variables").map { ByteString($0.bytes) }, library: sent.library),
                pendingID: sent.pendingID, optimistic: nil)
        } catch {
            throw UpstreamError("the mutation cannot be read: \(error.message)", isRefusal: true)
        }
    }
}

/// How the outbox sends a mutation; see Protocol/optimistic.md.
public struct GraphSending: Hashable, Sendable {
    /// The name of its queue in the library; nil: the queue of the library.
    public var key: ByteString?
    /// The most attempts; nil: for ever.
    public var attemptCountMax: Int?
    /// The milliseconds since the first attempt after which a failure is final; nil: for ever.
    public var duration: Int64?
    public var onFailure = MutationRequest.FailureRule.stop
    /// Whether a refusal rolls the edit back; else it stays, and may be sent again.
    public var discardsOnFailure = true

    public init() {}
}

extension SyncCache {
    /// Returns the server that the outbox of this cache asks.
    ///
    /// - Parameter next: The server of requests that are no documents; nil where nobody performs them.
    /// - Returns: nil where nobody can be asked at all.
    package func mutationUpstream(next: (any MutationUpstream)?) -> (any MutationUpstream)? {
        guard let engine = graphHost as? GraphEngine, engine.upstream != nil else { return next }
        return GraphMutations(self, next: next)
    }

    /// Waits for the first outcome of a mutation that the outbox sends: an answer, a refusal, or no answer.
    func firstOutcome(of pendingID: ByteString) async throws(CacheError) -> GraphResult {
        if case .known(let known)? = graph.outcomes[pendingID] {
            graph.outcomes[pendingID] = nil
            return try known.get()
        }
        let result: Result<GraphResult, CacheError> = await withCheckedContinuation { continuation in
            graph.outcomes[pendingID] = .waiting(continuation)
        }
        return try result.get()
    }

    /// Performs one attempt of the outbox.
    func sendGraph(_ sent: SentMutation) async -> Result<OptimisticCommit, UpstreamError> {
        graph.answering.insert(sent.pendingID)
        do throws(UpstreamError) {
            let mutation = try GraphMutation(sent)
            let answered = try await attempt(mutation)
            graph.attempted[sent.pendingID] = .success(answered.result)
            if let refusal = answered.refusal { return .failure(refusal) }
            return .success(OptimisticCommit(pendingID: sent.pendingID, library: sent.library))
        } catch {
            let isFinal = error.isRefusal && error.retries != true || !isPendingLayer(sent.pendingID)
            let message = "the mutation has no answer (\(error.message))"
            graph.attempted[sent.pendingID] = .failure(
                CacheError(
                    .upstreamFailed, isFinal ? message : message + "; it is sent again: see outbox.list",
                    reasons: ["upstream": error.message], details: error.details))
            return .failure(error)
        }
    }

    /// - Returns: The answer; with a refusal when it has errors and no data.
    private func attempt(
        _ mutation: GraphMutation
    ) async throws(UpstreamError) -> (result: GraphResult, refusal: UpstreamError?) {
        do throws(GraphMutationFault) {
            let parts = try await perform(mutation, hasLayer: true)
            let result = try result(of: parts, mutation)
            guard !parts.hasData else { return (result, nil) }
            let message = parts.firstMessage ?? "it answered without data"
            return (result, UpstreamError("the server of GraphQL: \(message)", isRefusal: true, retries: false))
        } catch {
            switch error {
            case .unanswered(let error): throw error
            case .unusable(let error):
                // A disk that works again may store it.
                throw UpstreamError(
                    error.message, isRefusal: error.code != .storageFailed, code: error.code.rawValue)
            }
        }
    }
}

extension GraphEngine {
    /// Tells the caller of a mutation its first outcome; later ones are told to nobody.
    func tell(_ result: Result<GraphResult, CacheError>, of pendingID: ByteString) {
        switch outcomes.removeValue(forKey: pendingID) {
        case .waiting(let continuation): continuation.resume(returning: result)
        case .expected: outcomes[pendingID] = .known(result)
        case .known(let earlier): outcomes[pendingID] = .known(earlier)
        case nil: break
        }
    }

    package func attemptEnded(_ pendingID: ByteString) {
        answering.remove(pendingID)
        if let result = attempted.removeValue(forKey: pendingID) { tell(result, of: pendingID) }
    }

    package func requestEnded(_ pendingID: ByteString) {
        guard !outcomes.isEmpty, !answering.contains(pendingID) else { return }
        tell(
            .failure(CacheError(.upstreamFailed, "the edit was settled or rolled back before it was sent")),
            of: pendingID)
    }

    /// Ends the waiting of all callers: nothing more is sent.
    func failMutations(_ reason: String) {
        for pendingID in outcomes.keys.sorted() {
            tell(
                .failure(
                    CacheError(
                        .upstreamFailed,
                        "the mutation has no answer (\(reason)); it is sent again when the cache is open",
                        reasons: ["upstream": reason])),
                of: pendingID)
        }
    }
}

extension AnswerParts {
    /// The message of the first error.
    fileprivate var firstMessage: String? {
        errors?.elements?.first?.members?[Array("message".utf8)]?.text.map { String(decoding: $0, as: UTF8.self) }
    }
}
