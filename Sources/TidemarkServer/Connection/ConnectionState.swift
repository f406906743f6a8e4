import NIOHTTP1
import TidemarkModel

/// The state of one connection below the level of requests. It makes every decision of ``ConnectionGuard``, without
/// timers.
///
/// - Source: RFC 9112; Protocol/serving.md, statuses.
struct ConnectionState {
    /// What the connection is reading.
    private enum Reading {
        /// Before a request, or in its head.
        case head(byteCount: Int, since: Int64?)
        case body
        /// The connection is about to end; further bytes are not parsed as requests.
        case over
    }

    /// What to do with input.
    enum Action: Equatable {
        case pass
        /// Ignore the input.
        case drop
        /// Respond with a refusal now, then close.
        case refuse(Refusal)
        /// Fail the reader of the body; its response is the connection's last.
        case failBody(Refusal)
    }

    private let limits: ServerLimits
    private let refusal: Refusal?
    private var reading = Reading.head(byteCount: 0, since: nil)
    /// How many requests have no complete response yet.
    private(set) var openCount = 0
    /// A refusal that must wait for the responses to earlier requests.
    private var waitingRefusal: Refusal?
    private var mustClose = false
    /// When the last byte of the body arrived or the body was last requested, in milliseconds; nil while nobody reads
    /// it.
    private var readingSince: Int64?
    private var idleSince: Int64

    /// Creates the state of a new connection, which waits for the head of its first request.
    ///
    /// - Parameters:
    ///   - refusal: The response to every request on this connection; usually nil.
    ///   - now: Milliseconds on any monotonic clock.
    init(limits: ServerLimits, refusal: Refusal?, now: Int64) {
        self.limits = limits
        self.refusal = refusal
        idleSince = now
        reading = .head(byteCount: 0, since: now)
    }

    // MARK: Input

    /// Counts bytes that are about to be parsed.
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

    /// Checks the size of the head after parsing.
    mutating func parsed() -> Action {
        guard case .head(let count, _) = reading, count > limits.headByteCountMax else { return .pass }
        return refuse(Refusal(.headTooLarge, "the head has more than \(limits.headByteCountMax) bytes: send less"))
    }

    /// Records the head of a request, and checks it.
    mutating func receive(_ head: HTTPRequestHead, now: Int64) -> Action {
        // The parser may find another head in the bytes after a refused one; do not treat it as a request.
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

    /// Records a part of a body.
    mutating func receiveBody(now: Int64) -> Action {
        readingSince = nil
        if case .over = reading { return .drop }
        return .pass
    }

    /// Records the end of a request.
    mutating func receiveEnd(now: Int64) -> Action {
        if case .over = reading { return .drop }
        reading = .head(byteCount: 0, since: nil)
        readingSince = nil
        idleSince = now
        return .pass
    }

    /// Records that the body's reader wants more, which starts the body timeout.
    mutating func wantsMore(now: Int64) {
        if case .body = reading, readingSince == nil { readingSince = now }
    }

    /// Records that the input is not valid HTTP.
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
            guard now - since >= limits.headTimeout.wholeMilliseconds else { return .pass }
            return refuse(
                Refusal(.timedOut, "no whole head came in \(limits.headTimeout.components.seconds) s: send it faster"))
        case .head(_, nil):
            guard openCount == 0, now - idleSince >= limits.idleTimeout.wholeMilliseconds else { return .pass }
            reading = .over
            return .drop
        case .body:
            guard let readingSince, now - readingSince >= limits.bodyTimeout.wholeMilliseconds else { return .pass }
            return fail(
                Refusal(
                    .timedOut, "no byte of the body came in \(limits.bodyTimeout.components.seconds) s: send it faster")
            )
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

    /// What to do after a complete response.
    enum Next: Equatable {
        case goOn
        case refuse(Refusal)
        case close
    }

    /// Records the end of a response.
    mutating func answered(now: Int64) -> Next {
        openCount -= 1
        idleSince = now
        if openCount == 0, let waitingRefusal { return .refuse(waitingRefusal) }
        // The client has not finished its body and expects no response yet; what it still sends is not a request.
        if case .body = reading { mustClose = true }
        guard mustClose, openCount == 0 else { return .goOn }
        reading = .over
        return .close
    }

    /// Records that the current response is the connection's last; later requests are dropped.
    mutating func answerIsLast() {
        mustClose = true
        openCount = 1
        waitingRefusal = nil
    }

    /// True if the current response is the connection's last.
    var closesAfterAnswer: Bool {
        if case .body = reading { return true }
        return mustClose
    }
}

/// Checks a request head for rules that the parser does not enforce.
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
