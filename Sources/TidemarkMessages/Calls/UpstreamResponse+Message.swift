import Tidemark
import TidemarkModel
import TidemarkStore

/// Parses the results of `events.since.v1` and `query.fetch`, from a host or a server.
///
/// - Source: Protocol/sessions.md, calls to the host.
extension UpstreamResponse {
    /// The maximum number of events in one answer; the limit on a line is reached first.
    private static let eventCountMax = 1_000_000

    /// Reads the result of `events.since.v1`.
    ///
    /// - Parameter name: The upstream's name in error messages, such as `the host`.
    /// - Throws: ``UpstreamError`` if the result has another shape.
    package init(result: JSONSlice, of name: String) throws(UpstreamError) {
        do throws(CacheError) {
            let params = try Params(result, path: "result")
            guard let events = try params.elements("events", countMax: UpstreamResponse.eventCountMax) else {
                throw params.wrong("events", "an array of events")
            }
            let coveredThrough = try params.sequence("covered_through")
            var lines: [UInt8] = []
            for event in events {
                lines += event.bytes
                lines.append(0x0A)
            }
            self.init(lines: lines, coveredThrough: coveredThrough)
        } catch {
            throw UpstreamError("\(name)'s answer to events.since.v1 cannot be used: \(error.message)")
        }
    }
}

extension QueryResult {
    /// Reads the result of `query.fetch`.
    ///
    /// - Throws: ``UpstreamError`` if the result has another shape.
    package init(result: JSONSlice, of name: String, limits: Limits) throws(UpstreamError) {
        do throws(CacheError) {
            try self.init(Params(result, path: "result"), limits: limits)
        } catch {
            throw UpstreamError("\(name)'s answer to query.fetch cannot be used: \(error.message)")
        }
    }
}
