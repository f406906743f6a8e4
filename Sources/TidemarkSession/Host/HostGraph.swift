import Tidemark
import TidemarkGraphQL
import TidemarkGraphQLStore
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// The host of a session as the one that asks a server of GraphQL.
///
/// - Source: Protocol/graphql.md, calls to the host.
package struct HostGraph: GraphUpstream {
    private let calls: HostCalls

    package init(_ calls: HostCalls) { self.calls = calls }

    package func ask(_ request: GraphUpstreamRequest) async throws(UpstreamError) -> AnswerParts {
        let result = try await calls.call("graphql.fetch") { line in
            line.member("fetch", request.fetch)
            line.member("document", Optional(request.document))
            line.member("operation_name", request.operationName)
            line.member("variables", json: Optional(request.variables.bytes))
            line.member("operation", Optional(ByteString(request.kind.rawValue)))
            if let pendingID = request.pendingID { line.member("pending_id", Optional(pendingID)) }
            line.member("library_id", Optional(request.library))
        }
        do throws(CacheError) {
            return try AnswerParts(Params(result, path: "result"))
        } catch {
            throw UpstreamError("the host's answer to graphql.fetch cannot be used: \(error.message)")
        }
    }

    package func stop(fetch: UInt64) {
        calls.notify("graphql.stop") { $0.member("fetch", fetch) }
    }
}
