import TestTraits
import Testing
import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkHTTP

/// The hops of one exchange, as a value.
@Suite(.pooled) struct ExchangeStateTests {
    private typealias Event = ExchangeState.Event

    private func question(
        _ method: ByteString = "GET", url: ByteString = "http://a.test/0", follows: Bool = true, spec: String? = nil
    ) throws -> HTTPClient.Question {
        var fetch = HTTPFetch(
            library: "", request: RequestHead(method: method, url: try HTTPURL(url), fields: HeaderFields()),
            rules: .options(.etag, timeout: nil), storage: .permanent, timeout: .seconds(30))
        fetch.body = method == "POST" ? [1] : []
        fetch.followsRedirects = follows
        if let spec { fetch.normalization = try HTTPNormalization(spec: Array(spec.utf8), limits: Limits()) }
        return HTTPClient.Question(
            fetch: fetch, forward: .uriMiss, salt: [],
            asked: HTTPQuestions().begin(
                HTTPAsked(
                    library: "", url: url, key: method, isSession: false,
                    credentials: Variant.credentials(HeaderFields(), salt: []), values: { _ in [] })))
    }

    private func head(_ status: Int, to location: String? = nil) -> ResponseHead {
        var fields = HeaderFields()
        if let location { fields.append("Location", location) }
        return ResponseHead(status: status, fields: fields)
    }

    /// A word for an action, or for an effect.
    private func name(_ action: ExchangeState.Action) -> String {
        switch action {
        case .beginFetch: "beginFetch"
        case .send(let exchange): "\(exchange.method) \(exchange.url.text)"
        case .receive(_, let isStorable): isStorable ? "receive, may be stored" : "receive"
        case .fail(let error, let changes): "fail \(error.code.rawValue), \(changes.count)"
        case .pass(let completed, let changes): "pass \(completed.head.status), \(changes.count)"
        }
    }

    private func name(_ effect: ExchangeState.Effect) -> String {
        switch effect {
        case .announce(let selections): "announce \(selections.count)"
        case .dropBody: "drop"
        case .reached(let origin): "reached \(origin)"
        }
    }

    /// Gives events to a new state, and returns the words for everything that it decides.
    private func play(_ question: HTTPClient.Question, _ events: [Event]) -> [String] {
        var state = ExchangeState(question, nil, nil)
        return events.flatMap { event in
            let step = state.handle(event, now: 5)
            return step.effects.map(name) + [name(step.action)]
        }
    }

    @Test func `a request is sent, and its response is passed on`() throws {
        #expect(
            play(try question(), [.begin, .head(head(200)), .body(.bytes([1]))])
                == ["GET http://a.test/0", "receive, may be stored", "reached http://a.test", "pass 200, 0"])
        #expect(
            play(try question(), [.begin, .head(head(200)), .arriving])
                == ["GET http://a.test/0", "receive, may be stored", "reached http://a.test", "pass 200, 0"])
    }

    @Test func `a fetch of entities is begun before its request, whose body is needed as a whole`() throws {
        #expect(
            play(
                try question(spec: #"{"resource_type":"file"}"#), [.begin, .began, .head(head(200)), .body(.bytes([]))])
                == ["beginFetch", "GET http://a.test/0", "receive", "reached http://a.test", "pass 200, 0"])
    }

    @Test func `a redirect is followed, or returned to a caller that follows it`() throws {
        let redirect = head(302, to: "/1")
        #expect(
            play(try question(), [.begin, .head(redirect), .head(head(404)), .failed(HTTPClient.tooManyHops)])
                == ["GET http://a.test/0", "drop", "GET http://a.test/1", "receive", "fail redirect_failed, 0"])
        #expect(
            play(try question(follows: false), [.begin, .head(redirect)]) == ["GET http://a.test/0", "receive"])
    }

    @Test func `the removals of an unsafe hop are announced at once, and written if the next hop fails`() throws {
        let error = ExchangeError(.timedOut, "as the test says")
        #expect(
            play(try question("POST"), [.begin, .head(head(307, to: "https://b.test/")), .failed(error)])
                == ["POST http://a.test/0", "announce 1", "drop", "POST https://b.test/", "fail timed_out, 1"])
    }

    @Test func `a redirect that leaves encryption is refused`() throws {
        #expect(
            play(
                try question(url: "https://a.test/0"), [.begin, .head(head(301, to: "http://a.test/1"))])
                == ["GET https://a.test/0", "drop", "fail redirect_failed, 0"])
    }

    /// What each phase waits for; the rest ends the process.
    @Test func `each phase takes its own events`() throws {
        let spec = #"{"resource_type":"file"}"#
        let ways: [(ExchangeState.Phase, [Event])] = [
            (.new, []), (.beginning, [.begin]), (.sending, [.begin, .began]),
            (.receiving, [.begin, .began, .head(head(200))]),
            (.ended, [.begin, .began, .head(head(200)), .body(.bytes([]))]),
        ]
        let all: [Event] = [
            .begin, .began, .head(head(200)), .body(.bytes([])), .arriving, .failed(HTTPClient.tooManyHops),
        ]
        let expected: [ExchangeState.Phase: [String: ExchangeState.Phase]] = [
            .new: ["begin": .beginning], .beginning: ["began": .sending],
            .sending: ["head": .receiving, "failed": .ended],
            .receiving: ["body": .ended, "arriving": .ended, "failed": .ended], .ended: [:],
        ]
        #expect(ways.map(\.0) == ExchangeState.Phase.allCases)
        for (phase, way) in ways {
            var state = ExchangeState(try question(spec: spec), nil, nil)
            for event in way { _ = state.handle(event, now: 0) }
            #expect(state.phase == phase)
            for event in all {
                #expect(state.awaits(event) == (expected[phase]?[event.name] != nil), "\(event.name) while \(phase)")
                guard let next = expected[phase]?[event.name] else { continue }
                var after = state
                _ = after.handle(event, now: 0)
                #expect(after.phase == next)
            }
        }
    }

    /// Random servers against a loop that follows their redirects.
    @Test(arguments: TestScale.seeds(300)) func `the hops are those of a loop`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let methods: [ByteString] = ["GET", "HEAD", "POST", "PUT"]
        let question = try question(methods[random.below(methods.count)], follows: random.chance(900))
        let statuses = [200, 301, 302, 303, 304, 307, 308, 404, 500]
        let redirects = [301, 302, 303, 307, 308]
        let places = ["/1", "/2", "http://b.test/", "https://c.test/", "ftp://d.test/"]
        let isLong = random.chance(300)
        let heads = (0..<13).map { _ in
            head(
                isLong ? redirects[random.below(redirects.count)] : statuses[random.below(statuses.count)],
                to: random.chance(isLong ? 1_000 : 800) ? places[random.below(isLong ? 3 : places.count)] : nil)
        }
        let failing = random.chance(300) ? random.below(13) : Int.max
        let error = ExchangeError(.offline, "as the seed says")

        var expected: [String] = []
        var request = question.fetch.request
        for (count, head) in heads.enumerated() {
            expected.append("\(request.method) \(request.url.text)")
            if count == failing { break }
            let isLast = count == RedirectRules.hopCountMax
            switch question.fetch.followsRedirects ? RedirectRules.step(head, to: request) : .stay {
            case .stay: expected.append("receive")
            case .refuse: expected.append("refused")
            case .follow(let next, _):
                request = next
                if isLast { expected.append("too many") } else { continue }
            }
            break
        }

        var state = ExchangeState(question, nil, nil)
        var got: [String] = []
        var step = state.handle(.begin, now: 0)
        var announcedCount = 0
        for (count, head) in heads.enumerated() {
            guard case .send(let exchange) = step.action else { break }
            got.append("\(exchange.method) \(exchange.url.text)")
            step = state.handle(count == failing ? .failed(error) : .head(head), now: 0)
            for case .announce(let selections) in step.effects { announcedCount += selections.count }
        }
        switch step.action {
        case .receive: got.append("receive")
        case .fail(HTTPClient.refusedRedirect, _): got.append("refused")
        case .fail(HTTPClient.tooManyHops, _): got.append("too many")
        default: break
        }
        #expect(got == expected, "seed \(seed)")
        // Everything that was announced is removed, too.
        if case .receive = step.action { step = state.handle(.body(.bytes([])), now: 0) }
        switch step.action {
        case .fail(_, let changes), .pass(_, let changes): #expect(changes.count == announcedCount)
        case .beginFetch, .send, .receive: Issue.record("the exchange has not ended: seed \(seed)")
        }
    }
}
