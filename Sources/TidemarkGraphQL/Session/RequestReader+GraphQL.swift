import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// Reads the parameters of the methods for GraphQL documents.
///
/// - Source: Protocol/graphql.md, methods.
extension RequestReader {
    /// Reads an operation: `document`, `operation_name` and `variables`.
    func graphRequest(_ params: Params) throws(CacheError) -> GraphQLRequest {
        GraphQLRequest(
            try document(params), operationName: try params.text("operation_name"), variables: try variables(params),
            library: try library(params))
    }

    /// Reads the parameters of `graphql.read` and `graphql.observe`.
    func graphReadRequest(_ params: Params) throws(CacheError) -> GraphQLReadRequest {
        var request = GraphQLReadRequest(try graphRequest(params))
        if let policy = try fetchPolicy(params) { request.policy = policy }
        request.allowsStale = try params.flag("allow_stale")
        request.maxStale = try params.milliseconds("max_stale")
        request.isPartial = try params.flag("partial")
        request.refreshes = try params.flag("refresh")
        if params.value("refetch") != nil { request.refetches = try params.flag("refetch") }
        return request
    }

    func graphFragment(_ params: Params) throws(CacheError) -> GraphQLFragment {
        GraphQLFragment(
            document: try document(params), name: try params.text("fragment"), variables: try variables(params),
            key: try key(params))
    }

    func graphMutation(_ params: Params) throws(CacheError) -> GraphQLMutation {
        let pendingID = try params.text("pending_id", byteCountMax: limits.idByteCountMax)
        var optimistic: ResponseParts?
        if let data = params.value("optimistic") {
            guard data.kind == .object else { throw params.wrong("optimistic", "the data of the mutation, an object") }
            optimistic = ResponseParts(data: Array(data.bytes), errors: nil)
        }
        return GraphQLMutation(
            try graphRequest(params), pendingID: pendingID ?? GraphQLMutation.newPendingID(), optimistic: optimistic,
            send: try graphSending(params))
    }

    private func document(_ params: Params) throws(CacheError) -> ByteString {
        guard let value = params.value("document") else { throw params.wrong("document", "the text of a document") }
        guard let text = value.text else { throw params.wrong("document", "the text of a document") }
        return ByteString(text)
    }

    private func variables(_ params: Params) throws(CacheError) -> ByteString? {
        guard let value = params.value("variables") else { return nil }
        guard value.kind == .object else { throw params.wrong("variables", "an object") }
        return ByteString(value.bytes)
    }

    func answerParts(_ params: Params) throws(CacheError) -> ResponseParts {
        guard params.holds("data") else { throw params.wrong("data", "the data of the operation, an object or null") }
        if let data = params.value("data"), data.kind != .object {
            throw params.wrong("data", "the data of the operation, an object or null")
        }
        if let errors = params.value("errors"), errors.kind != .array { throw params.wrong("errors", "an array") }
        return ResponseParts(
            data: params.value("data").map { Array($0.bytes) } ?? Array("null".utf8), errors: params.value("errors"))
    }

    /// Reads `send` of `graphql.mutate`, which is true or an object; nil if the mutation bypasses the outbox.
    private func graphSending(_ params: Params) throws(CacheError) -> MutationRequest? {
        guard let value = params.value("send") else { return nil }
        var request = MutationRequest(method: GraphQLMutation.method, compactInput: Array("null".utf8))
        if let isSent = value.bool { return isSent ? request : nil }
        guard value.kind == .object else { throw params.wrong("send", "true, or an object") }
        let send = try Params(value, path: params.name("send"))
        if !isLenient { try send.refuseUnknown(RequestReader.sendingMembers, of: params.name("send")) }
        try readSending(send, into: &request)
        return request
    }
}

/// The entity and the fragment that a request names.
struct GraphQLFragment: Sendable {
    var document: ByteString
    var name: ByteString?
    var variables: ByteString?
    var key: EntityKey
}
