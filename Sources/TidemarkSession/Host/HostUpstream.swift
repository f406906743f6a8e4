import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// A session's host as the cache's upstream, for missing events and for queries.
///
/// - Source: Protocol/sessions.md, calls to the host.
package struct HostUpstream: Upstream, QueryUpstream {
    private let calls: HostCalls
    private let limits: Limits

    /// Creates an upstream over a session's calls to its host.
    ///
    /// - Parameter limits: Limits on what an answer may contain.
    package init(_ calls: HostCalls, limits: Limits) {
        self.calls = calls
        self.limits = limits
    }

    /// Requests the events from `sequence` on with `events.since.v1`.
    ///
    /// - Throws: ``UpstreamError`` if the call fails, or its result cannot be used.
    package func events(
        since sequence: EventSequence, of library: ByteString
    ) async throws(UpstreamError) -> UpstreamResponse {
        let result = try await calls.call("events.since.v1") { line in
            line.member("library_id", library)
            line.member("sequence", sequence)
        }
        return try UpstreamResponse(result: result, of: "the host")
    }

    /// Requests the result of a query with `query.fetch`.
    ///
    /// - Throws: ``UpstreamError`` if the call fails, or its result cannot be used.
    package func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
        let result = try await calls.call("query.fetch") { line in
            line.member("method", Optional(query.method))
            line.member("input", json: Optional(query.input.bytes))
            line.member("library_id", Optional(query.library))
        }
        return try QueryResult(result: result, of: "the host", limits: limits)
    }

    /// Asks the host whether entities may be evicted. Returns true if the answer is missing, late or unusable.
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
