import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// The host of a session as the upstream of its cache: for missing events, and for queries.
///
/// - Source: Protocol/sessions.md, calls to the host.
package struct HostUpstream: Upstream, QueryUpstream {
    private let calls: HostCalls
    private let limits: Limits

    /// - Parameter limits: The limits of an answer.
    package init(_ calls: HostCalls, limits: Limits) {
        self.calls = calls
        self.limits = limits
    }

    package func events(
        since sequence: EventSequence, of library: ByteString
    ) async throws(UpstreamError) -> UpstreamAnswer {
        let result = try await calls.call("events.since.v1") { line in
            line.member("library_id", library)
            line.member("sequence", sequence)
        }
        return try UpstreamAnswer(result: result, of: "the host")
    }

    package func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
        let result = try await calls.call("query.fetch") { line in
            line.member("method", Optional(query.method))
            line.member("input", json: Optional(query.input.bytes))
            line.member("library_id", Optional(query.library))
        }
        return try QueryResult(result: result, of: "the host", limits: limits)
    }

    /// Asks the host whether entities may be evicted. No answer, a late answer and an unusable answer count as yes.
    package func mayEvict(_ check: EvictionCheck) async -> Bool {
        do throws(UpstreamError) {
            let result = try await calls.call("cache.will_evict") { line in
                line.member("tier", Optional(ByteString(check.tier.rawValue)))
                line.member("bytes", check.count)
                line.member("limit", check.limit)
            }
            do throws(CacheError) {
                let params = try Params(result, path: "result")
                guard params.value("evict") != nil else { return true }
                return try params.flag("evict")
            } catch {
                return true
            }
        } catch {
            return true
        }
    }
}
