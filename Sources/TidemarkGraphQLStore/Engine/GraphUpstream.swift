import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// A server of GraphQL, or a host that asks one.
///
/// - Source: Protocol/graphql.md, methods of a session.
package protocol GraphUpstream: Sendable {
    /// Whether the upstream itself ends an answer whose next part does not come in time.
    var keepsTime: Bool { get }

    /// Asks for the answer to an operation.
    ///
    /// - Throws: ``UpstreamError``; one with `isRefusal` says that the operation did not happen.
    func ask(_ request: GraphUpstreamRequest) async throws(UpstreamError) -> GraphUpstreamAnswer

    /// Receives a payload that belongs to a fetch. Returns when it was used, or when nobody wants it any more.
    func receive(_ payload: JSONSlice, fetch: UInt64) async

    /// Notes that nobody waits for parts of a fetch any more.
    func stop(fetch: UInt64)
}

extension GraphUpstream {
    package func receive(_ payload: JSONSlice, fetch: UInt64) async {}
}

/// The beginning of an upstream's answer.
package enum GraphUpstreamAnswer: Sendable {
    case whole(AnswerParts)
    /// The payloads of one answer, the first one included.
    case parts(any GraphParts, any DeliveryParser)
    /// The payloads of a subscription, the first one included.
    case stream(any GraphParts, GraphStreamForm)
}

/// The form of a subscription's payloads.
package enum GraphStreamForm: Sendable {
    /// Each is an answer.
    case answers
    /// Each has its answer in `payload`; `errors` beside it end the subscription.
    case payloads
}

/// The payloads of a fetch, one after another. Used by one task.
package protocol GraphParts: Sendable {
    /// Returns the next payload and its size in bytes; nil at the end. An empty object is a heartbeat.
    ///
    /// - Throws: ``UpstreamError`` when no more can come; also when the task is cancelled.
    func next() async throws(UpstreamError) -> (payload: JSONValue, byteCount: Int)?

    /// Ends the reading; a call of ``next()`` that is under way ends, too.
    func stop()
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
