import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkTesting

/// The behaviour of a private cache as its caller and its server see it, area by area of the RFCs. Each case is a
/// sequence of requests to one URL, with what the server is asked and what the caller gets.
@Suite(.pooled) struct HTTPBehaviourTests {
    @Test(arguments: BehaviourCase.Area.allCases)
    func `a cache does what the RFCs say`(area: BehaviourCase.Area) async throws {
        let cases = BehaviourCase.all.filter { $0.area == area }
        #expect(!cases.isEmpty)
        let fixture = try await HTTPFixture()
        for (number, behaviour) in cases.enumerated() {
            let problem = try await play(behaviour, "http://a.test/\(number)", fixture)
            #expect(problem == nil, "\(area), \(behaviour.name): \(problem ?? "")")
        }
        try await fixture.close()
    }

    @Test func `each case has a name of its own`() {
        let names = BehaviourCase.all.map { "\($0.area): \($0.name)" }
        #expect(Set(names).count == names.count && names.count >= 200, "\(names.count)")
    }

    private func play(_ behaviour: BehaviourCase, _ url: String, _ fixture: HTTPFixture) async throws -> String? {
        let answers = Mutex(0)
        let now = fixture.clock
        var last = ""
        for (index, step) in behaviour.steps.enumerated() {
            let place = "step \(index + 1)"
            switch step {
            case .server(let status, let lines):
                let fields = fields(lines, now.now())
                fixture.server.answers { exchange in
                    func first(_ name: String) -> String? { fields.first { $0.0.lowercased() == name }?.1 }
                    let tags = exchange.fields.first("if-none-match")?.description
                    let since = exchange.fields.first("if-modified-since")?.description
                    let isKnown =
                        tags.map { $0 == first("etag") } ?? (since != nil && since == first("last-modified"))
                    if status == 200, isKnown, exchange.method == "GET" || exchange.method == "HEAD" {
                        return .success(.init(status: 304, fields: fields, body: ""))
                    }
                    let body = answers.withLock { count in
                        count += 1
                        return "body \(count)"
                    }
                    let isBodiless = exchange.method == "HEAD" || status == 304 || status == 204
                    return .success(.init(status: status, fields: fields, body: isBodiless ? "" : body))
                }
            case .offline: fixture.server.fails(.offline)
            case .pass(let seconds): fixture.pass(seconds)
            case .ask(let method, let lines, let expected):
                let before = fixture.server.asked.count
                let fields = fields(lines, now.now())
                let fetched: HTTPFetched
                do throws(CacheError) {
                    var request = try fixtureRequest(fixture, url, behaviour.rules, method, fields)
                    request.body = method == "POST" || method == "PUT" ? [1] : []
                    fetched = try await fixture.client.fetch(request)
                } catch {
                    if expected == .failure { continue }
                    return "\(place): \(error)"
                }
                let asked = fixture.server.asked.dropFirst(before)
                let isConditional = asked.last.map {
                    $0.fields.contains("if-none-match") || $0.fields.contains("if-modified-since")
                }
                let found: BehaviourCase.Outcome =
                    if fetched.head.status == 504, fetched.status.detail == "only-if-cached" {
                        .gatewayTimeout
                    } else if fetched.isRevalidated {
                        .confirmed
                    } else if fetched.isFromCache {
                        asked.isEmpty || isAskedBehind(fetched, behaviour)
                            ? (fetched.isStale ? .stale : .hit) : .fallback
                    } else {
                        isConditional == true ? .replaced : .miss
                    }
                guard found == expected else { return "\(place): \(found), not \(expected)" }
                if fetched.isFromCache, fetched.head.status == 200, method == "GET", fetched.text != last {
                    return "\(place): \(fetched.text), not \(last)"
                }
                if fetched.isStored, !fetched.isFromCache, method == "GET" { last = fetched.text }
            }
        }
        return nil
    }

    /// Whether a server is asked after a stale answer was served: the request may come before the answer is looked at.
    private func isAskedBehind(_ fetched: HTTPFetched, _ behaviour: BehaviourCase) -> Bool {
        let revalidates = behaviour.steps.contains { step in
            guard case .server(_, let lines) = step else { return false }
            return lines.contains { $0.contains("stale-while-revalidate") }
        }
        return revalidates && fetched.isStale && !fetched.status.isFallback
    }

    private func fields(_ lines: [String], _ now: Int64) -> [(String, String)] {
        lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1].drop { $0 == " " } : ""
            return (String(parts[0]), BehaviourCase.dated(String(value), now))
        }
    }

    private func fixtureRequest(
        _ fixture: HTTPFixture, _ url: String, _ rules: CacheRules, _ method: String, _ fields: [(String, String)]
    ) throws(CacheError) -> HTTPFetch {
        do {
            return try fixture.request(url, rules, method: method, fields: fields)
        } catch {
            throw CacheError(.invalidParams, "\(error)")
        }
    }
}
