import Foundation
import HTTPTypes
import Synchronization
import TidemarkHTTP
import TidemarkHTTPRules

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The exchanges of a session under way, by the number of their task. Foundation calls it on the session's queue.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
    /// The exchanges under way. Their number is bounded by the callers.
    private let running = Mutex<[Int: URLSessionExchange]>([:])

    func add(_ exchange: URLSessionExchange, _ number: Int) { running.withLock { $0[number] = exchange } }

    private func exchange(_ task: URLSessionTask) -> URLSessionExchange? {
        running.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(dataTask)?.came(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(dataTask)?.came(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The client follows redirects; a transport sends one request.
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        running.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.ended(error, task.response)
    }
}

/// One exchange under way: connects the session's queue with the caller that waits for the response.
///
/// One lock protects the state and is held only while copying.
final class URLSessionExchange: Sendable {
    private struct State {
        var head: HTTPResponse?
        /// The length in the head, if it is that of the delivered body.
        var byteCountExpected: Int64?
        var byteCount: Int64 = 0
        /// The bytes that the reader has not taken yet. Past ``byteCountMax`` the task is suspended.
        var bytes: [UInt8] = []
        var isSuspended = false
        /// Why this side ended the exchange; nil if it did not.
        var ending: ExchangeCode?
        var end: Result<Void, ExchangeError>?
        /// Ends the exchange after its time limit; cancelled if it ends otherwise.
        var timer: Task<Void, Never>?
        var headWaiter: CheckedContinuation<Result<HTTPResponse, ExchangeError>, Never>?
        var bodyWaiter: CheckedContinuation<Result<[UInt8]?, ExchangeError>, Never>?
    }

    private let task: URLSessionTask
    private let state = Mutex(State())

    /// The bytes that may wait for the reader: 1 MiB.
    private static let byteCountMax = 1 << 20

    init(_ task: URLSessionTask) { self.task = task }

    // MARK: The caller's side

    /// Sets a time limit, after which the exchange ends with `timedOut`.
    func limit(_ time: Duration) {
        let timer = Task { [weak self] in
            do {
                try await ContinuousClock().sleep(for: min(time, .seconds(86_400)))
            } catch {
                // The exchange ended first.
                return
            }
            self?.cancel(.timedOut)
        }
        let isOver = state.withLock { state in
            state.timer = timer
            return state.end != nil
        }
        if isOver { timer.cancel() }
    }

    func head() async -> Result<HTTPResponse, ExchangeError> {
        await withCheckedContinuation { continuation in
            let result: Result<HTTPResponse, ExchangeError>? = state.withLock { state in
                if let head = state.head { return .success(head) }
                switch state.end {
                case .failure(let error): return .failure(error)
                case .success: return .failure(URLSessionExchange.noHead)
                case nil:
                    state.headWaiter = continuation
                    return nil
                }
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    /// Returns all bytes that have arrived, waiting for the first; a success with nil after the last.
    func next() async -> Result<[UInt8]?, ExchangeError> {
        await withCheckedContinuation { continuation in
            let (result, resumes): (Result<[UInt8]?, ExchangeError>?, Bool) = state.withLock { state in
                if !state.bytes.isEmpty {
                    let bytes = state.bytes
                    state.bytes = []
                    defer { state.isSuspended = false }
                    return (.success(bytes), state.isSuspended)
                }
                switch state.end {
                case .failure(let error): return (.failure(error), false)
                case .success: return (.success(nil), false)
                case nil:
                    state.bodyWaiter = continuation
                    return (nil, false)
                }
            }
            if resumes { task.resume() }
            if let result { continuation.resume(returning: result) }
        }
    }

    func cancel(_ code: ExchangeCode) {
        let isOpen = state.withLock { state in
            if state.ending == nil { state.ending = code }
            return state.end == nil
        }
        if isOpen { task.cancel() }
    }

    // MARK: The session's side

    func came(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        let (head, expected) = URLSessionExchange.head(response)
        let waiter = state.withLock { state in
            state.head = head
            state.byteCountExpected = expected
            defer { state.headWaiter = nil }
            return state.headWaiter
        }
        waiter?.resume(returning: .success(head))
    }

    func came(_ data: Data) {
        guard !data.isEmpty else { return }
        let (waiter, suspends) = state.withLock { state in
            state.byteCount += Int64(data.count)
            if let waiter = state.bodyWaiter {
                state.bodyWaiter = nil
                return (Optional(waiter), false)
            }
            state.bytes += data
            let suspends = state.bytes.count > URLSessionExchange.byteCountMax && !state.isSuspended
            if suspends { state.isSuspended = true }
            return (nil, suspends)
        }
        if suspends { task.suspend() }
        waiter?.resume(returning: .success(Array(data)))
    }

    func ended(_ error: (any Error)?, _ response: URLResponse?) {
        let (headWaiter, bodyWaiter, head, end) = state.withLock { state in
            // For a response without a body Foundation reports the head only here, if at all.
            if state.head == nil, error == nil, let response = response as? HTTPURLResponse {
                (state.head, state.byteCountExpected) = URLSessionExchange.head(response)
            }
            let end = URLSessionExchange.end(error, state)
            state.end = end
            state.timer?.cancel()
            defer { (state.headWaiter, state.bodyWaiter) = (nil, nil) }
            return (state.headWaiter, state.bodyWaiter, state.head, end)
        }
        switch end {
        case .success:
            headWaiter?.resume(returning: head.map { .success($0) } ?? .failure(URLSessionExchange.noHead))
            bodyWaiter?.resume(returning: .success(nil))
        case .failure(let error):
            headWaiter?.resume(returning: .failure(error))
            bodyWaiter?.resume(returning: .failure(error))
        }
    }

    private static let noHead = ExchangeError(.connectionLost, "the server closed without an answer")

    private static func end(_ error: (any Error)?, _ state: State) -> Result<Void, ExchangeError> {
        if let ending = state.ending {
            let message = ending == .timedOut ? "no whole answer came in time" : "the exchange was cancelled"
            return .failure(ExchangeError(ending, message))
        }
        if let error {
            let number = (error as? URLError)?.errorCode ?? (error as NSError).code
            var code = code(urlCode(number), afterHead: state.head != nil)
            // Foundation has no separate code for a body that ends early.
            let isShort = state.byteCountExpected.map { $0 > state.byteCount } ?? false
            if code == .connectionLost, isShort { code = .truncated }
            return .failure(ExchangeError(code, "the exchange failed (URLError \(number))"))
        }
        if let expected = state.byteCountExpected, expected > state.byteCount {
            return .failure(ExchangeError(.truncated, "the body ended early"))
        }
        return .success(())
    }

    private static func urlCode(_ number: Int) -> URLError.Code {
        #if canImport(FoundationNetworking)
            URLError.Code(rawValue: number) ?? .unknown
        #else
            URLError.Code(rawValue: number)
        #endif
    }

    private static func code(_ code: URLError.Code, afterHead: Bool) -> ExchangeCode {
        switch code {
        case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet,
            .internationalRoamingOff, .dataNotAllowed:
            .offline
        case .timedOut: .timedOut
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            .tlsFailed
        case .cancelled: .cancelled
        case .networkConnectionLost, .badServerResponse, .cannotParseResponse: afterHead ? .truncated : .connectionLost
        default: .connectionLost
        }
    }

    /// Returns the head of a response, and the length of its body if the head has that of the delivered bytes.
    private static func head(_ response: HTTPURLResponse) -> (HTTPResponse, Int64?) {
        var fields = HTTPFields()
        let all = response.allHeaderFields.map { ("\($0.key)", "\($0.value)") }
        for (name, value) in all.sorted(by: { $0.0.lowercased() < $1.0.lowercased() }) {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        var expected = fields[.contentLength].flatMap { Int64($0) }
        // Foundation decodes bodies without saying so; the two fields would describe other bytes.
        if let coding = fields[.contentEncoding]?.lowercased(), coding != "identity" {
            fields[.contentEncoding] = nil
            fields[.contentLength] = nil
            expected = nil
        }
        fields[.transferEncoding] = nil
        let status = HTTPResponse.Status(code: response.statusCode)
        return (HTTPResponse(status: status, headerFields: fields), expected)
    }
}
