import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel

/// An operation in the form that the server gets.
struct SentOperation {
    /// The document, printed without local directives and with the fields that identify entities.
    let document: ByteString
    /// The name of the operation; nil if it has none.
    let name: ByteString?
    /// The values of the variables, as one JSON object.
    let variables: ByteString

    func request(
        _ fetch: UInt64, _ kind: OperationKind, pendingID: ByteString? = nil, library: ByteString
    ) -> GraphQLUpstreamRequest {
        GraphQLUpstreamRequest(
            fetch: fetch, document: document, operationName: name, variables: variables, kind: kind,
            pendingID: pendingID, library: library)
    }
}

extension GraphQLEngine {
    /// Returns an operation in the form that the server gets.
    ///
    /// A request for a document with a single operation may omit its name. The name is sent in any case, because
    /// servers and their tools use it; and two requests are equal whether they name the operation or not.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `invalidDocument`, `invalidParams`, `limitExceeded`.
    /// - Source: Protocol/graphql.md, calls to the host.
    func sent(_ request: GraphQLRequest) throws(CacheError) -> SentOperation {
        let document = try document(request.document)
        do throws(DocumentError) {
            return SentOperation(
                document: ByteString(document.sent), name: try document.operation(request.operationName).name?.text,
                variables: document.sentVariables(operation: request.operationName, request.variables))
        } catch {
            throw error.cacheError
        }
    }
}
