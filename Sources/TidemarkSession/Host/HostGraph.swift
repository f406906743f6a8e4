import Synchronization
import Tidemark
import TidemarkGraphQL
import TidemarkGraphQLStore
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// The host of a session as the one that asks a server of GraphQL.
///
/// - Source: Protocol/graphql.md, calls to the host.
package final class HostGraph: GraphUpstream {
    private let calls: HostCalls
    /// The fetches whose payloads may come, by number. Bounded by the fetches and subscriptions of the cache.
    private let open = Mutex<[UInt64: HostParts]>([:])

    package init(_ calls: HostCalls) { self.calls = calls }

    package var keepsTime: Bool { false }

    package func ask(_ request: GraphUpstreamRequest) async throws(UpstreamError) -> GraphUpstreamAnswer {
        // Payloads may come right behind the answer, before the task that waits for it runs.
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
        _ result: JSONSlice, _ parts: HostParts, _ request: GraphUpstreamRequest
    ) throws(UpstreamError) -> GraphUpstreamAnswer {
        guard result.members?[Array("hasNext".utf8)]?.bool == true else {
            parts.stop()
            do throws(AnswerFault) {
                return .whole(try AnswerParts(result))
            } catch {
                throw UpstreamError.unusableHostAnswer(error)
            }
        }
        parts.begin(result)
        return request.kind == .subscription
            ? .stream(parts, .answers) : .parts(parts, DeliveryFormat.hostParser)
    }

    package func receive(_ payload: JSONSlice, fetch: UInt64) async {
        await open.withLock { $0[fetch] }?.receive(payload)
    }

    package func stop(fetch: UInt64) {
        open.withLock { $0[fetch] }?.stop()
        calls.notify("graphql.stop") { $0.member("fetch", fetch) }
    }

    private func forget(_ fetch: UInt64) {
        open.withLock { $0[fetch] = nil }
    }
}

extension UpstreamError {
    /// The error of an answer of the host that is none of GraphQL: nobody knows what the server did.
    fileprivate static func unusableHostAnswer(_ fault: AnswerFault) -> UpstreamError {
        let reason = "not_graphql"
        var error = UpstreamError("the host's answer to graphql.fetch \(fault.message)", code: reason)
        error.details = [CacheError.Detail("reason", json: Array("\"\(reason)\"".utf8))]
        return error
    }
}
