import CCurlTransport
import Synchronization
import TidemarkHTTPRules
import TidemarkModel

/// A transport over the system's libcurl, which is loaded by the first exchange.
///
/// It preserves the order and the repeats of header fields, delivers raw bodies, and reports bodies that end early. It
/// ignores proxies of the environment unless ``HTTPProxy/system`` is set, keeps no cookies and no credentials, and does
/// not follow redirects.
///
/// ```swift
/// let transport = CurlTransport(proxy: .system)
/// let client = CachingHTTPClient(cache: HTTPResponseCache(cache), transport: transport)
/// ```
///
/// Apple's mobile systems have no libcurl; `URLSessionTransport` is the transport there.
///
/// - Source: docs/decisions/0017-http-transport.md.
@available(iOS, unavailable, message: "use URLSessionTransport of TidemarkURLSession")
@available(tvOS, unavailable, message: "use URLSessionTransport of TidemarkURLSession")
@available(watchOS, unavailable, message: "use URLSessionTransport of TidemarkURLSession")
@available(visionOS, unavailable, message: "use URLSessionTransport of TidemarkURLSession")
public struct CurlTransport: HTTPTransport {
    private let proxy: HTTPProxy

    /// Creates a transport.
    ///
    /// - Parameter proxy: The proxy for all exchanges.
    public init(proxy: HTTPProxy = .none) { self.proxy = proxy }

    /// Sends a request and returns as soon as the head of its response has arrived. Cancelling the task ends the
    /// exchange.
    ///
    /// - Throws: ``ExchangeError``: `offline` if no host is reached or libcurl cannot be loaded; `timedOut`,
    ///   `connectionLost`, `tlsFailed`, `truncated`, `limitExceeded` or `cancelled`.
    public func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeResponse {
        let running = CurlExchange()
        let result = await withTaskCancellationHandler {
            running.begin(exchange, proxy: proxy.choice(for: exchange.url))
            return await running.head()
        } onCancel: {
            running.cancel()
        }
        var head = try result.get()
        // libcurl has decoded the chunked coding.
        head.fields.remove("transfer-encoding")
        return HTTPExchangeResponse(
            head: head,
            body: HTTPBody(
                next: { () throws(ExchangeError) in
                    try await withTaskCancellationHandler {
                        await running.next()
                    } onCancel: {
                        running.cancel()
                    }.get()
                }, cancel: { running.cancel() }))
    }
}

/// One exchange under way: connects libcurl's thread with the caller that waits for the response.
///
/// One lock protects the state and is held only while copying. libcurl keeps a reference until the exchange ends.
final class CurlExchange: Sendable {
    private struct State {
        var number: UInt64 = 0
        var lines = HeadLines()
        /// The chunks that the reader has not taken yet. At most ``byteCountMax``, and one chunk of libcurl.
        var chunks: [[UInt8]] = []
        var byteCount = 0
        var isStopped = false
        var isCancelled = false
        /// How the exchange ended: nil while it is under way, a success after a complete response.
        var end: Result<Void, ExchangeError>?
        var headWaiter: CheckedContinuation<Result<ResponseHead, ExchangeError>, Never>?
        var chunkWaiter: CheckedContinuation<Result<[UInt8]?, ExchangeError>, Never>?
    }

    private let state = Mutex(State())

    /// The bytes that may wait for the reader: 1 MiB. Past it the transfer is paused.
    private static let byteCountMax = 1 << 20

    // MARK: The caller's side

    func begin(_ exchange: HTTPExchange, proxy: HTTPProxy) {
        var lines = exchange.fields.fields.map { field in
            field.value.bytes.isEmpty ? field.name.bytes + [0x3B] : field.name.bytes + [0x3A, 0x20] + field.value.bytes
        }
        // libcurl would otherwise add these headers itself.
        for name in ["Accept", "Content-Type", "Expect", "User-Agent"]
        where !exchange.fields.contains(name.lowercased()) {
            lines.append(Array("\(name):".utf8))
        }
        var proxyURL: String?
        if case .url(let url) = proxy { proxyURL = url }
        let context = Unmanaged.passRetained(self)
        let number = lines.withCStrings { headers in
            exchange.method.bytes.withCString { method in
                exchange.url.text.bytes.withCString { url in
                    exchange.body.withUnsafeBufferPointer { body in
                        Array((proxyURL ?? "").utf8).withCString { proxyText in
                            var request = tidemark_curl_request()
                            request.method = method
                            request.url = url
                            request.headers = headers.baseAddress
                            request.header_count = headers.count
                            request.body = body.isEmpty ? nil : body.baseAddress
                            request.body_byte_count = body.count
                            request.timeout_milliseconds = Int(
                                (exchange.streamTimeout ?? exchange.timeout).wholeMilliseconds)
                            request.connect_timeout_milliseconds = Int(exchange.connectTimeout?.wholeMilliseconds ?? 0)
                            request.proxy = proxyURL == nil ? nil : proxyText
                            request.uses_system_proxy = proxy == .system ? 1 : 0
                            request.context = context.toOpaque()
                            request.on_header = { context, bytes, count in
                                CurlExchange.of(context)?.took(
                                    line: Array(UnsafeBufferPointer(start: bytes, count: count)))
                            }
                            request.on_body = { context, bytes, count in
                                CurlExchange.of(context)?.receive(UnsafeBufferPointer(start: bytes, count: count))
                                    == false
                                    ? 0 : 1
                            }
                            request.on_end = { context, code in
                                guard let context else { return }
                                Unmanaged<CurlExchange>.fromOpaque(context).takeRetainedValue().ended(code)
                            }
                            return tidemark_curl_begin(&request)
                        }
                    }
                }
            }
        }
        guard number != 0 else {
            context.release()
            return end(
                .failure(
                    ExchangeError(
                        .offline, "libcurl 7.68 or later cannot be loaded: install libcurl4, or use --http host")))
        }
        let isCancelled = state.withLock { state in
            state.number = number
            return state.isCancelled
        }
        if isCancelled { tidemark_curl_cancel(number) }
    }

    func head() async -> Result<ResponseHead, ExchangeError> {
        await withCheckedContinuation { continuation in
            let result: Result<ResponseHead, ExchangeError>? = state.withLock { state in
                if let head = state.lines.head { return .success(head) }
                if case .failure(let error) = state.end { return .failure(error) }
                if state.end != nil { return .failure(CurlExchange.noHead) }
                state.headWaiter = continuation
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    /// Returns all bytes that have arrived, waiting for the first; a success with nil after the last.
    func next() async -> Result<[UInt8]?, ExchangeError> {
        await withCheckedContinuation { continuation in
            let (result, resumes): (Result<[UInt8]?, ExchangeError>?, UInt64?) = state.withLock { state in
                if !state.chunks.isEmpty {
                    var chunk: [UInt8] = []
                    chunk.reserveCapacity(state.byteCount)
                    for piece in state.chunks { chunk.append(contentsOf: piece) }
                    state.chunks = []
                    state.byteCount = 0
                    defer { state.isStopped = false }
                    return (.success(chunk), state.isStopped ? state.number : nil)
                }
                switch state.end {
                case .failure(let error): return (.failure(error), nil)
                case .success: return (.success(nil), nil)
                case nil:
                    state.chunkWaiter = continuation
                    return (nil, nil)
                }
            }
            if let resumes { tidemark_curl_resume(resumes) }
            if let result { continuation.resume(returning: result) }
        }
    }

    func cancel() {
        let number = state.withLock { state in
            state.isCancelled = true
            return state.number
        }
        if number != 0 { tidemark_curl_cancel(number) }
    }

    // MARK: libcurl's side

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlExchange? {
        context.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    private func took(line: [UInt8]) {
        let (waiter, head, isTooLong) = state.withLock {
            state -> (CheckedContinuation<Result<ResponseHead, ExchangeError>, Never>?, ResponseHead?, Bool) in
            do throws(HeadLines.Fault) {
                try state.lines.append(line)
            } catch {
                return (nil, nil, true)
            }
            guard let head = state.lines.head else { return (nil, nil, false) }
            defer { state.headWaiter = nil }
            return (state.headWaiter, head, false)
        }
        if isTooLong {
            // A head that lacks some fields could lack the one that forbids storing the response.
            end(.failure(CurlExchange.headTooLong))
            cancel()
        }
        if let waiter, let head { waiter.resume(returning: .success(head)) }
    }

    /// Hands the bytes to the reader, or keeps them.
    ///
    /// - Returns: False if the buffer is full; libcurl then pauses the transfer.
    private func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let (waiter, isTaken) = state.withLock {
            state -> (CheckedContinuation<Result<[UInt8]?, ExchangeError>, Never>?, Bool) in
            if let waiter = state.chunkWaiter {
                state.chunkWaiter = nil
                return (waiter, true)
            }
            guard state.byteCount < CurlExchange.byteCountMax else {
                state.isStopped = true
                return (nil, false)
            }
            state.chunks.append(Array(bytes))
            state.byteCount += bytes.count
            return (nil, true)
        }
        waiter?.resume(returning: .success(Array(bytes)))
        return isTaken
    }

    private func ended(_ code: Int32) {
        guard code != 0 else { return end(.success(())) }
        end(.failure(ExchangeError(CurlExchange.code(code), CurlExchange.message(code))))
    }

    private func end(_ result: Result<Void, ExchangeError>) {
        let (headWaiter, chunkWaiter) = state.withLock { state in
            // The first result counts: after a cancel of this side, libcurl still reports its own.
            if state.end == nil { state.end = result }
            defer { (state.headWaiter, state.chunkWaiter) = (nil, nil) }
            return (state.headWaiter, state.chunkWaiter)
        }
        switch result {
        case .success:
            headWaiter?.resume(returning: .failure(CurlExchange.noHead))
            chunkWaiter?.resume(returning: .success(nil))
        case .failure(let error):
            headWaiter?.resume(returning: .failure(error))
            chunkWaiter?.resume(returning: .failure(error))
        }
    }

    private static let headTooLong = ExchangeError(
        .limitExceeded,
        "the head has more than \(HeaderFields.countMax) fields or \(HeaderFields.byteCountMax) bytes of them")
    private static let noHead = ExchangeError(.connectionLost, "the server closed without an answer")

    /// - Source: libcurl's error codes, curl/curl.h.
    private static func code(_ code: Int32) -> ExchangeCode {
        switch code {
        case 5, 6, 7: .offline
        case 28: .timedOut
        case 18: .truncated
        case 35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98: .tlsFailed
        case 42: .cancelled
        default: .connectionLost
        }
    }

    private static func message(_ code: Int32) -> String {
        switch self.code(code) {
        case .offline: "the host cannot be reached (libcurl \(code))"
        case .timedOut: "no connection, or no whole answer, came in time"
        case .truncated: "the body ended early"
        case .tlsFailed: "the connection could not be made secure (libcurl \(code))"
        case .cancelled: "the exchange was cancelled"
        default: "the connection broke (libcurl \(code))"
        }
    }
}

extension [UInt8] {
    /// Calls `body` with the bytes as a string of C, which is valid during the call.
    fileprivate func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("a buffer of one byte has a start") }
            return body(start)
        }
    }
}

extension [[UInt8]] {
    /// Calls `body` with all lines as strings of C, which are valid during the call.
    fileprivate func withCStrings<Result>(
        _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        var bytes: [CChar] = []
        var offsets: [Int] = []
        for line in self {
            offsets.append(bytes.count)
            bytes += line.map { CChar(bitPattern: $0) }
            bytes.append(0)
        }
        return bytes.withUnsafeBufferPointer { all in
            let pointers = offsets.map { offset in all.baseAddress.map { $0 + offset } }
            return pointers.withUnsafeBufferPointer(body)
        }
    }
}
