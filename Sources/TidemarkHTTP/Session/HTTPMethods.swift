import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// Fetches, observes, lists and invalidates HTTP responses.
///
/// - Source: Protocol/http.md, methods.
package struct HTTPMethods: MethodFamily {
    /// The maximum size of a body in one line: 11 MiB, which as Base64 stays below 16 MiB.
    package static let bodyByteCountMax = 11 << 20

    private let client: HTTPClient?

    /// Creates the family.
    ///
    /// - Parameter client: Performs the requests; nil refuses them.
    package init(_ client: HTTPClient?) { self.client = client }

    /// `http.fetch`, `http.observe`, `http.invalidate` and `http.list`.
    package var methods: [SessionMethod] {
        [
            SessionMethod("http.fetch", perform: fetch),
            SessionMethod("http.observe", observes: true, perform: observe),
            SessionMethod("http.invalidate", params: ["url", "prefix", "storage", "all"], perform: invalidate),
            SessionMethod("http.list", perform: list),
        ]
    }

    /// `http` of `cache.clear`: removes the responses too.
    package var clearing: ClearingFlag? {
        ClearingFlag(name: "http") { [client] library in
            // Noted first, so that nobody joins an older request and its response is not stored.
            client?.noteRemoval(HTTPSelection(library: library))
        } finish: { [client] (library) throws(CacheError) in
            _ = try await client?.invalidate(HTTPSelection(library: library))
        }
    }

    /// Ends an observation of a response.
    package func cancel(_ subscription: SubscriptionID) async -> Bool { await client?.cancel(subscription) ?? false }

    /// Ends the observations of responses of an output.
    package func endSubscriptions(of output: any SessionOutput) async {
        await client?.cancelAll(of: ObjectIdentifier(output))
    }

    /// Writes `http_answers` and `http_bytes`.
    package func statistics(of cache: SyncCache) async -> @Sendable (inout JSONLine) -> Void {
        let totals = await cache.journal.httpPart.httpTotals()
        return { $0.httpTotals(totals) }
    }

    /// Fails the exchanges in progress.
    package func close() async { await client?.close() }

    // MARK: Methods

    private func fetch(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let fetch = try call.reader.httpFetch(call.params, client?.defaults ?? HTTPClientDefaults())
        let client = try usable()
        return try call.answerLater { () throws(CacheError) in try Answer.fetched(try await client.fetch(fetch)) }
    }

    private func observe(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let fetch = try call.reader.httpFetch(call.params, client?.defaults ?? HTTPClientDefaults())
        let client = try usable()
        return try call.answerLater { [output = call.session.output] () throws(CacheError) in
            let (fetched, subscription) = try await client.observe(fetch, owner: ObjectIdentifier(output)) {
                number, changed in
                output.append(answer: HTTPMethods.line(of: changed, to: number))
            }
            return try Answer.fetched(fetched, subscription: subscription)
        }
    }

    private func invalidate(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let selection = try call.reader.httpInvalidation(call.params)
        let client = try usable()
        return try await call.answerLater(after: { () throws(CacheError) in
            // In line order, so that a fetch on a later line does not join an older request.
            client.noteRemoval(selection)
        }) { (_) throws(CacheError) in
            let count = try await client.invalidate(selection)
            return Answer.object { $0.member("removed", count) }
        }
    }

    private func list(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let page = try call.reader.httpPage(call.params)
        let client = try usable()
        return try call.answerLater { () throws(CacheError) in
            Answer.entries(try await client.list(page.selection, after: page.after, countMax: page.countMax))
        }
    }

    private func usable() throws(CacheError) -> HTTPClient {
        guard let client else { throw CacheError(.upstreamFailed, "this session was started without HTTP") }
        return client
    }

    /// Returns the `http.changed` notification. A body that is too long for a line is left out.
    private static func line(of fetched: HTTPFetched, to subscription: SubscriptionID) -> [UInt8] {
        MessageLine.notification("http.changed") { line in
            line.member("subscription", subscription.rawValue)
            line.member("status", fetched.head.status)
            line.headers(fetched.head.fields)
            if fetched.body.count <= bodyByteCountMax {
                line.body(fetched.body, isText: HTTPText.isText(fetched.head.fields))
            }
            line.member("stale", fetched.isStale)
            line.member("age", fetched.age)
        }
    }
}
