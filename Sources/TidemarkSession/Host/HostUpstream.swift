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
        do throws(CacheError) {
            let params = try Params(result, path: "result")
            guard let events = try params.elements("events", countMax: HostUpstream.eventCountMax) else {
                throw params.wrong("events", "an array of events")
            }
            let coveredThrough = try params.sequence("covered_through")
            var lines: [UInt8] = []
            for event in events {
                lines += event.bytes
                lines.append(0x0A)
            }
            return UpstreamAnswer(lines: lines, coveredThrough: coveredThrough)
        } catch {
            throw UpstreamError("the host's answer to events.since.v1 cannot be used: \(error.message)")
        }
    }

    package func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
        let result = try await calls.call("query.fetch") { line in
            line.member("method", Optional(query.method))
            line.member("input", json: Optional(query.input.bytes))
            line.member("library_id", Optional(query.library))
        }
        do throws(CacheError) {
            return try QueryResult(Params(result, path: "result"), limits: limits)
        } catch {
            throw UpstreamError("the host's answer to query.fetch cannot be used: \(error.message)")
        }
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

    /// The largest number of events in one answer; the limit of a line is reached first.
    private static let eventCountMax = 1_000_000
}
