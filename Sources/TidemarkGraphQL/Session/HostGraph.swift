import Synchronization
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// Sends GraphQL operations to a server through a session's host.
///
/// - Source: Protocol/graphql.md, calls to the host.
package final class HostGraph: GraphQLUpstream {
    private let calls: HostCalls
    /// Fetches that can still receive payloads, by number. Bounded by the cache's fetches and subscriptions.
    private let open = Mutex<[UInt64: HostParts]>([:])

    /// Creates an upstream over a session's calls to its host.
    package init(_ calls: HostCalls) { self.calls = calls }

    /// False: the cache itself ends a fetch whose next payload does not arrive in time.
    package var keepsTime: Bool { false }

    /// Sends one operation with `graphql.fetch`, and returns the response, or the stream of its payloads.
    ///
    /// - Throws: ``UpstreamError`` if the call fails, or the host's answer is not a GraphQL response.
    package func ask(_ request: GraphQLUpstreamRequest) async throws(UpstreamError) -> GraphQLUpstreamResponse {
        // Register before calling: payloads may arrive right after the answer, before the waiting task resumes.
        let parts = HostParts { [weak self] in self?.forget(request.fetch) }
        open.withLock { $0[request.fetch] = parts }
        do throws(UpstreamError) {
            let result = try await calls.call("graphql.fetch") { line in
                line.member("fetch", request.fetch)
                line.member("document", Optional(request.document))
                line.member("operation_name", request.operationName)
                line.member("variables", json: Optional(request.variables.bytes))
                line.member("operation", Optional(ByteString(request.kind.rawValue)))
                if let pendingID = request.pendingID { line.member("pending_id", Optional(pendingID)) }
                line.member("library_id", Optional(request.library))
            }
            return try answer(result, parts, request)
        } catch {
            parts.stop()
            throw error
        }
    }

    private func answer(
        _ result: JSONSlice, _ parts: HostParts, _ request: GraphQLUpstreamRequest
    ) throws(UpstreamError) -> GraphQLUpstreamResponse {
        guard result.members?[Array("hasNext".utf8)]?.bool == true else {
            parts.stop()
            do throws(ResponseError) {
                return .whole(try ResponseParts(result))
            } catch {
                throw UpstreamError.unusableHostAnswer(error)
            }
        }
        parts.begin(result)
        return request.kind == .subscription
            ? .stream(parts, .answers) : .parts(parts, DeliveryFormat.hostParser)
    }

    /// Passes a payload of `graphql.part` to its fetch; one for an unknown fetch is dropped. Returns when it was used.
    package func receive(_ payload: JSONSlice, fetch: UInt64) async {
        await open.withLock { $0[fetch] }?.receive(payload)
    }

    /// Ends a fetch and notifies the host with `graphql.stop`.
    package func stop(fetch: UInt64) {
        open.withLock { $0[fetch] }?.stop()
        calls.notify("graphql.stop") { $0.member("fetch", fetch) }
    }

    private func forget(_ fetch: UInt64) {
        open.withLock { $0[fetch] = nil }
    }
}

extension UpstreamError {
    /// The error for a host's answer that is not a GraphQL response; the effect on the server is unknown.
    fileprivate static func unusableHostAnswer(_ fault: ResponseError) -> UpstreamError {
        let reason = "not_graphql"
        var error = UpstreamError("the host's answer to graphql.fetch \(fault.message)", code: reason)
        error.details = [CacheError.Detail("reason", json: Array("\"\(reason)\"".utf8))]
        return error
    }
}
