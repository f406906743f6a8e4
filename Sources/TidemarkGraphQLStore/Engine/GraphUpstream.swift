import Tidemark
import TidemarkGraphQL
import TidemarkModel

/// A server of GraphQL, or a host that asks one.
///
/// - Source: Protocol/graphql.md, methods of a session.
package protocol GraphUpstream: Sendable {
    /// Asks for the answer to an operation.
    ///
    /// - Throws: ``UpstreamError``; one with `isRefusal` says that the operation did not happen.
    func ask(_ request: GraphUpstreamRequest) async throws(UpstreamError) -> AnswerParts

    /// Tells that nobody waits for parts of a fetch any more.
    func stop(fetch: UInt64)
}

/// One operation as a server is sent it.
package struct GraphUpstreamRequest: Sendable {
    /// The number of the fetch; parts that come later name it.
    package var fetch: UInt64
    /// The document, printed without local directives and with what tells entities apart.
    package var document: ByteString
    package var operationName: ByteString?
    /// One JSON object.
    package var variables: ByteString
    package var kind: OperationKind
    /// The name of the layer that shows the mutation.
    package var pendingID: ByteString?
    package var library: ByteString
}
