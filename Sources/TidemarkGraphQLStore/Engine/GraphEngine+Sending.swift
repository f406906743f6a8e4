import Tidemark
import TidemarkGraphQL
import TidemarkModel

/// An operation as a server is sent it.
struct SentOperation {
    /// The document, printed without local directives and with what tells entities apart.
    let document: ByteString
    /// The operation's name; nil for one that has none.
    let name: ByteString?
    /// One JSON object.
    let variables: ByteString

    func request(
        _ fetch: UInt64, _ kind: OperationKind, pendingID: ByteString? = nil, library: ByteString
    ) -> GraphUpstreamRequest {
        GraphUpstreamRequest(
            fetch: fetch, document: document, operationName: name, variables: variables, kind: kind,
            pendingID: pendingID, library: library)
    }
}

extension GraphEngine {
    /// Returns what a server is sent for a request.
    ///
    /// A document with one operation need not say which one is meant. Its name is sent all the same, because servers
    /// and their tools go by it, and so two requests for it are one, whether they say it or not.
    ///
    /// - Throws: ``CacheError`` `invalidDocument`, `invalidParams`, `limitExceeded`.
    /// - Source: Protocol/graphql.md, calls to the host.
    func sent(_ request: GraphRequest) throws(CacheError) -> SentOperation {
        let document = try document(request.document)
        do throws(DocumentRefusal) {
            return SentOperation(
                document: ByteString(document.sent), name: try document.operation(request.operationName).name?.text,
                variables: document.sentVariables(operation: request.operationName, request.variables))
        } catch {
            throw error.cacheError
        }
    }
}
