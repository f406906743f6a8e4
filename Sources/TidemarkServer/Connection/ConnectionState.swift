import NIOHTTP1

/// The state of one connection, below the requests: all of the decisions of ``ConnectionGuard``, none of its timers.
///
/// - Source: RFC 9112; Protocol/serving.md, statuses.
struct ConnectionState {
    /// The reading side.
    private enum Reading {
        /// The connection is before the next request, or in its head.
        case head(byteCount: Int, since: Int64?)
        case body
        /// Nothing more is read as a request: the connection is about to end.
        case over
    }

    /// The reaction to input.
    enum Action: Equatable {
        case pass
        /// Drop it.
        case drop
        /// Answer with a refusal now, and close.
        case refuse(Refusal)
        /// Tell the reader of the body, whose answer is the last one.
        case failBody(Refusal)
    }

    private let limits: ServerLimits
    private let refusal: Refusal?
    private var reading = Reading.head(byteCount: 0, since: nil)
    /// The requests whose answer is not complete.
    private(set) var openCount = 0
    /// The refusal that waits for the answers to earlier requests.
    private var waitingRefusal: Refusal?
    private var mustClose = false
    /// The time when the last byte came, or when a body was read again, in milliseconds; nil while nobody reads.
    private var readingSince: Int64?
    private var idleSince: Int64

    /// - Parameters:
    ///   - refusal: The answer to every request of this connection; nil usually.
    ///   - now: Milliseconds of any clock that does not go back.
    init(limits: ServerLimits, refusal: Refusal?, now: Int64) {
        self.limits = limits
        self.refusal = refusal
        idleSince = now
        reading = .head(byteCount: 0, since: now)
    }

    // MARK: Input

    /// Notes bytes that are about to be parsed.
    mutating func receive(byteCount: Int, now: Int64) -> Action {
        switch reading {
        case .over: return .drop
        case .body:
            readingSince = now
        case .head(let count, let since):
            reading = .head(byteCount: count + byteCount, since: since ?? now)
        }
        return .pass
    }

    /// Notes that the bytes were parsed.
    mutating func parsed() -> Action {
        guard case .head(let count, _) = reading, count > limits.headByteCountMax else { return .pass }
        return refuse(Refusal(.headTooLarge, "the head has more than \(limits.headByteCountMax) bytes: send less"))
    }

    /// Notes the head of a request.
    mutating func receive(_ head: HTTPRequestHead, now: Int64) -> Action {
        // The parser may have found another head in the bytes behind a refused one: it is no request.
        if case .over = reading { return .drop }
        reading = .body
        readingSince = now
        if let refusal { return refuse(refusal) }
        if let fault = HeadFault.fault(in: head, byteCountMax: limits.headByteCountMax) { return refuse(fault) }
        if waitingRefusal != nil { return .drop }
        openCount += 1
        if !head.isKeepAlive { mustClose = true }
        return .pass
    }

    /// Notes a part of a body.
    mutating func receiveBody(now: Int64) -> Action {
        readingSince = nil
        if case .over = reading { return .drop }
        return .pass
    }

    /// Notes the end of a request.
    mutating func receiveEnd(now: Int64) -> Action {
        if case .over = reading { return .drop }
        reading = .head(byteCount: 0, since: nil)
        readingSince = nil
        idleSince = now
        return .pass
    }

    /// Notes that the reader wants more.
    mutating func wantsMore(now: Int64) {
        if case .body = reading, readingSince == nil { readingSince = now }
    }

    /// Notes that the bytes break the rules of the format.
    mutating func fail(_ refusal: Refusal) -> Action {
        switch reading {
        case .over: return .drop
        case .head: return refuse(refusal)
        case .body:
            reading = .over
            mustClose = true
            return .failBody(refusal)
        }
    }

    /// Refuses the request, or ends the connection, when a deadline has passed.
    mutating func check(now: Int64) -> Action {
        switch reading {
        case .over: return .pass
        case .head(_, let since?):
            guard now - since >= limits.headTimeout else { return .pass }
            return refuse(
                Refusal(.timedOut, "no whole head came in \(limits.headTimeout / 1_000) s: send it faster"))
        case .head(_, nil):
            guard openCount == 0, now - idleSince >= limits.idleTimeout else { return .pass }
            reading = .over
            return .drop
        case .body:
            guard let readingSince, now - readingSince >= limits.bodyTimeout else { return .pass }
            return fail(
                Refusal(.timedOut, "no byte of the body came in \(limits.bodyTimeout / 1_000) s: send it faster"))
        }
    }

    private mutating func refuse(_ refusal: Refusal) -> Action {
        reading = .over
        mustClose = true
        guard openCount == 0 else {
            waitingRefusal = waitingRefusal ?? refusal
            return .drop
        }
        return .refuse(refusal)
    }

    // MARK: Output

    /// The step after a whole answer.
    enum Next: Equatable {
        case goOn
        case refuse(Refusal)
        case close
    }

    /// Notes the end of an answer.
    mutating func answered(now: Int64) -> Next {
        openCount -= 1
        idleSince = now
        if openCount == 0, let waitingRefusal { return .refuse(waitingRefusal) }
        // The client of an unfinished body does not expect an answer, and its rest is no request.
        if case .body = reading { mustClose = true }
        guard mustClose, openCount == 0 else { return .goOn }
        reading = .over
        return .close
    }

    /// Notes that the connection ends with the answer under way: requests behind it are dropped.
    mutating func answerIsLast() {
        mustClose = true
        openCount = 1
        waitingRefusal = nil
    }

    /// Whether the answer under way is the last one of the connection.
    var closesAfterAnswer: Bool {
        if case .body = reading { return true }
        return mustClose
    }
}

/// The rules of a head that a parser alone does not check.
enum HeadFault {
    static func fault(in head: HTTPRequestHead, byteCountMax: Int) -> Refusal? {
        var byteCount = head.uri.utf8.count
        for (name, value) in head.headers { byteCount += name.utf8.count + value.utf8.count + 4 }
        if byteCount > byteCountMax {
            return Refusal(.headTooLarge, "the head has more than \(byteCountMax) bytes: send less")
        }
        guard head.version == .http1_1 || head.version == .http1_0 else {
            return Refusal(.badRequest, "the version is not HTTP/1.1: send that one")
        }
        let hosts = head.headers["Host"]
        guard hosts.count == 1, hosts.first?.isEmpty == false else {
            return Refusal(.badRequest, "the request has \(hosts.count) fields Host: send one")
        }
        guard head.uri.utf8.first == UInt8(ascii: "/") else {
            return Refusal(.badRequest, "the target is not a path: send it from the first / on")
        }
        let codings = head.headers["Transfer-Encoding"]
        let lengths = head.headers["Content-Length"]
        guard codings.isEmpty || lengths.isEmpty else {
            return Refusal(.badRequest, "the request has Content-Length and Transfer-Encoding: send one of them")
        }
        guard codings.isEmpty || codings.count == 1 && codings[0].lowercased() == "chunked" && head.version == .http1_1
        else {
            return Refusal(.badRequest, "the Transfer-Encoding is not chunked: send that one, or a length")
        }
        guard lengths.isEmpty || lengths.count == 1 && lengths[0].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            return Refusal(.badRequest, "the Content-Length is not one number")
        }
        guard head.headers["Upgrade"].isEmpty, head.method != .CONNECT else {
            return Refusal(.badRequest, "this server speaks HTTP/1.1 alone: send no Upgrade")
        }
        return nil
    }
}
