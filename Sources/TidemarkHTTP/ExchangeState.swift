import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// One exchange with a server, from the request to the complete response. It makes all decisions, without tasks: the
/// client performs each action and reports how it ended.
///
/// | phase | event | action |
/// |---|---|---|
/// | `new` | `begin` | `beginFetch` if the response has entities; otherwise `send` |
/// | `beginning` | `began` | `send` |
/// | `sending` | `head` of a redirect that is followed | `send` to the next URL; `fail` after too many, or if it is refused |
/// | `sending` | any other `head` | `receive` its body |
/// | `receiving` | `body`, or `arriving` | `pass` the response on |
/// | `sending`, `receiving` | `failed` | `fail`, with the removals that the hops before have caused |
///
/// ``StoringState`` continues with the response. An event that a phase does not wait for is a programmer error.
struct ExchangeState: Sendable {
    enum Event: Sendable {
        case begin
        /// The fetch was recorded.
        case began
        /// The head of a response has arrived, with its body unread.
        case head(ResponseHead)
        /// The body is complete.
        case body(HTTPContent)
        /// The body is long, and the caller reads the rest while it arrives.
        case arriving
        case failed(ExchangeError)
    }

    /// What the client does at once, before the action, and without waiting.
    enum Effect: Hashable, Sendable {
        /// Announces removals, so that no response to an earlier request is stored afterwards.
        case announce([HTTPSelection])
        /// Ends the exchange without reading the body.
        case dropBody
        /// An origin has responded.
        case reached(ByteString)
    }

    /// What the client does next. Each action but the last, `fail` or `pass`, is answered with one event.
    enum Action: Sendable {
        /// Records the beginning of a fetch, so that its response can be compared with what events write meanwhile.
        case beginFetch(QueryKey)
        case send(HTTPExchange)
        /// Reads the body of a response to a request.
        ///
        /// - Parameter isStorable: True if it may be written to the disk while it arrives.
        case receive(RequestHead, isStorable: Bool)
        /// Ends the exchange with an error, after making the changes if the disk allows it.
        case fail(ExchangeError, changes: [HTTPChange])
        /// Stores a response, with the changes that its hops have caused.
        case pass(CompletedExchange, changes: [HTTPChange])
    }

    struct Step: Sendable {
        var effects: [Effect] = []
        var action: Action
    }

    /// The phases, for tests and messages.
    enum Phase: CaseIterable, Hashable, Sendable {
        case new, beginning, sending, receiving, ended
    }

    private(set) var phase = Phase.new
    private let question: HTTPClient.Question
    /// The validators of the stored response, which are sent only to the URL that it belongs to.
    private let validators: StoredValidators?
    private let lookup: HTTPResponseStore.Lookup?
    /// The request of the current hop.
    private var request: RequestHead
    private var body: [UInt8]
    /// The number of requests sent. At most one more than the redirects that are followed.
    private var sentCount = 0
    /// True if the validators are part of the current request.
    private var isConditional = false
    private var head: ResponseHead?
    /// The removals caused by unsafe hops. At most four for each hop.
    private var changes: [HTTPChange] = []
    private var requestedAt: Int64 = 0

    private var fetch: HTTPFetch { question.fetch }

    init(_ question: HTTPClient.Question, _ validators: StoredValidators?, _ lookup: HTTPResponseStore.Lookup?) {
        self.question = question
        self.validators = validators
        self.lookup = lookup
        request = question.fetch.request
        body = question.fetch.body
    }

    /// Decides what follows an event.
    ///
    /// - Parameter now: The time of the event, in milliseconds since 1970.
    mutating func handle(_ event: Event, now: Int64) -> Step {
        precondition(awaits(event), "\(event.name) while the exchange is \(phase)")
        switch (phase, event) {
        case (.new, .begin): return begin(now)
        case (.beginning, .began):
            requestedAt = now
            return send()
        case (.sending, .head(let head)): return receive(head, now)
        case (.receiving, .body(let content)): return pass(content, now)
        // Its length is not known yet.
        case (.receiving, .arriving): return pass(.bytes([]), now)
        case (_, .failed(let error)): return fail(error)
        case (_, .begin), (_, .began), (_, .head), (_, .body), (_, .arriving):
            preconditionFailure("\(event.name) while the exchange is \(phase)")
        }
    }

    /// True if an event may follow in this phase.
    func awaits(_ event: Event) -> Bool {
        switch (phase, event) {
        case (.new, .begin), (.beginning, .began), (.sending, .head), (.sending, .failed), (.receiving, .body),
            (.receiving, .arriving), (.receiving, .failed):
            true
        case (_, .begin), (_, .began), (_, .head), (_, .body), (_, .arriving), (_, .failed): false
        }
    }

    private mutating func begin(_ now: Int64) -> Step {
        requestedAt = now
        do throws(CacheError) {
            var key: QueryKey?
            if let normalization = fetch.normalization {
                key = try normalization.query(of: fetch)
            } else if lookup?.found?.answer.normalized != nil {
                key = try HTTPNormalization.place(of: fetch)
            }
            guard let key else { return send() }
            phase = .beginning
            return Step(action: .beginFetch(key))
        } catch {
            return fail(ExchangeError(.connectionLost, error.message))
        }
    }

    private mutating func send(_ effects: [Effect] = []) -> Step {
        var sent = request
        isConditional = validators?.add(to: &sent) ?? false
        sentCount += 1
        phase = .sending
        let exchange = HTTPExchange(
            method: sent.method, url: sent.url, fields: sent.fields, body: body, timeout: fetch.timeout,
            streamTimeout: question.isShared ? HTTPClient.exchangeTimeMax : nil)
        return Step(effects: effects, action: .send(exchange))
    }

    private mutating func receive(_ head: ResponseHead, _ now: Int64) -> Step {
        let removed = invalidated(by: head)
        changes += removed.map { .removeAll($0) }
        var effects: [Effect] = removed.isEmpty ? [] : [.announce(removed)]
        if fetch.followsRedirects {
            switch RedirectRules.step(head, to: request) {
            case .stay: break
            case .refuse: return fail(HTTPClient.refusedRedirect, effects + [.dropBody])
            case .follow(let next, let keepsBody):
                effects.append(.dropBody)
                guard sentCount <= RedirectRules.hopCountMax else { return fail(HTTPClient.tooManyHops, effects) }
                request = next
                if !keepsBody { body = [] }
                return send(effects)
            }
        }
        self.head = head
        phase = .receiving
        return Step(effects: effects, action: .receive(request, isStorable: isStorable(head, now)))
    }

    /// Returns the stored responses that an unsafe hop removes. A request with a caller's key counts as a question: it
    /// removes the responses to GET and HEAD, not those to other keys.
    private func invalidated(by head: ResponseHead) -> [HTTPSelection] {
        let methods: [ByteString?] = fetch.isKeyed ? ["GET", "HEAD"] : [nil]
        return StorageRules.invalidated(by: head, to: request).flatMap { url in
            methods.flatMap { method -> [HTTPSelection] in
                let keys = method.map { [$0, HTTPFetch.led($0)] } ?? [nil]
                return keys.map { HTTPSelection(library: fetch.library, url: url.text, key: $0) }
            }
        }
    }

    /// True if a body may be written to the disk while it arrives. Bodies that are needed as a whole (those to combine,
    /// normalize or compare) are held in memory, within the limit of a body.
    private func isStorable(_ head: ResponseHead, _ now: Int64) -> Bool {
        let found = lookup?.found
        guard head.status != 206, fetch.normalization == nil, found?.answer.normalized == nil,
            fetch.storage != .disabled
        else { return false }
        return ResponseRules.outcome(
            head, to: fetch.request, over: found?.answer.head, fetch.rules, isConditional: isConditional,
            isKeyed: fetch.isKeyed, at: now) == .new(.store)
    }

    private mutating func pass(_ content: HTTPContent, _ now: Int64) -> Step {
        guard let head else { preconditionFailure("a body without a head") }
        phase = .ended
        let stored = StoredHead(
            head: head, requestedAt: requestedAt, answeredAt: now, byteCount: content.byteCount)
        let completed = CompletedExchange(
            outcome: .answered, head: head, content: content, url: request.url, stored: stored,
            isConditional: isConditional)
        return Step(effects: [.reached(fetch.request.url.origin)], action: .pass(completed, changes: changes))
    }

    /// An unsafe hop took effect, even if the next hop failed. A response past every limit outdates the stored one.
    private mutating func fail(_ error: ExchangeError, _ effects: [Effect] = []) -> Step {
        phase = .ended
        if error.code == .limitExceeded, let replaced = lookup?.replaced, !replaced.isEmpty {
            changes.append(.remove(replaced))
        }
        return Step(effects: effects, action: .fail(error, changes: changes))
    }
}

extension ExchangeState.Event {
    /// The name, without what may be long or secret.
    var name: String {
        switch self {
        case .begin: "begin"
        case .began: "began"
        case .head: "head"
        case .body: "body"
        case .arriving: "arriving"
        case .failed: "failed"
        }
    }
}
