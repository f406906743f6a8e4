import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// A GraphQL server, or a host that sends documents to one.
///
/// - Source: Protocol/graphql.md, methods of a session.
package protocol GraphQLUpstream: Sendable {
    /// True if the upstream itself ends a response whose next part does not arrive in time.
    var keepsTime: Bool { get }

    /// Sends an operation and returns its response, or the reader of its parts.
    ///
    /// - Throws: ``UpstreamError``; `isRefusal` is true if the operation was not performed.
    func ask(_ request: GraphQLUpstreamRequest) async throws(UpstreamError) -> GraphQLUpstreamResponse

    /// Receives a payload of a fetch. Returns when the payload has been used or is not needed any more.
    func receive(_ payload: JSONSlice, fetch: UInt64) async

    /// Ends a fetch whose further parts nobody waits for.
    func stop(fetch: UInt64)
}

extension GraphQLUpstream {
    /// Ignores the payload: this upstream receives none from outside.
    package func receive(_ payload: JSONSlice, fetch: UInt64) async {}
}

/// The response of an upstream, complete or in parts.
package enum GraphQLUpstreamResponse: Sendable {
    /// A complete response.
    case whole(ResponseParts)
    /// The payloads of one response, including the first, and their parser.
    case parts(any GraphQLParts, any DeliveryParser)
    /// The payloads of a subscription, including the first.
    case stream(any GraphQLParts, DocumentStreamForm)
}

/// The form of a subscription's payloads.
package enum DocumentStreamForm: Sendable {
    /// Each payload is a complete response.
    case answers
    /// Each payload has its response in `payload`; `errors` next to it end the subscription.
    case payloads
}

/// Reads the payloads of a fetch in order. Used by one task.
package protocol GraphQLParts: Sendable {
    /// Returns the next payload and its size in bytes; nil at the end. An empty object is a heartbeat.
    ///
    /// - Throws: ``UpstreamError`` if no more payloads can arrive, or the task is cancelled.
    func next() async throws(UpstreamError) -> (payload: JSONValue, byteCount: Int)?

    /// Ends the reading, and a call of ``next()`` under way.
    func stop()
}

/// An operation in the form that the server gets.
package struct GraphQLUpstreamRequest: Sendable {
    /// The number of the fetch, which later parts name.
    package var fetch: UInt64
    /// The document, printed without local directives and with the fields that identify entities.
    package var document: ByteString
    /// The name of the operation; nil if it has none.
    package var operationName: ByteString?
    /// The values of the variables, as one JSON object.
    package var variables: ByteString
    /// Whether the operation is a query, mutation or subscription.
    package var kind: OperationKind
    /// The id of the layer that shows the mutation; nil for other operations.
    package var pendingID: ByteString?
    /// The library whose entities the operation concerns.
    package var library: ByteString
}
