import TidemarkHTTPRules
import TidemarkModel

/// One request to one server, as a transport sends it. The caller follows redirects, each with an exchange of its own.
public struct HTTPExchange: Sendable {
    /// The method, such as `GET`.
    package var method: ByteString
    /// The URL that is requested.
    package var url: HTTPURL
    /// The header fields, in their order.
    package var fields: HeaderFields
    /// The body of the request; empty for none.
    public var body: [UInt8]
    /// The time limit for the whole response; with a ``streamTimeout``, only for its head.
    public var timeout: Duration
    /// The time limit for connecting; nil for the limit of the response.
    public var connectTimeout: Duration?
    /// The time limit for a whole response whose reader keeps the time itself; nil for ``timeout``.
    public var streamTimeout: Duration?

    /// Creates an exchange.
    package init(
        method: ByteString, url: HTTPURL, fields: HeaderFields, body: [UInt8] = [], timeout: Duration,
        connectTimeout: Duration? = nil, streamTimeout: Duration? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeout = timeout
        self.connectTimeout = connectTimeout
        self.streamTimeout = streamTimeout
    }
}

/// The head of a response, and its body, which is read as it arrives.
public struct HTTPExchangeResponse: Sendable {
    /// The status and the header fields.
    package var head: ResponseHead
    /// The body, not yet read.
    package var body: HTTPBody

    /// Creates the response of an exchange.
    package init(head: ResponseHead, body: HTTPBody) {
        self.head = head
        self.body = body
    }
}

/// A body in chunks, read once from front to end.
public struct HTTPBody: Sendable {
    private let read: @Sendable () async throws(ExchangeError) -> [UInt8]?
    private let stop: @Sendable () -> Void

    /// Creates a body that is read with a closure.
    ///
    /// - Parameters:
    ///   - next: Returns the next chunk, at least one byte; nil after the last. Throws if the body ends early.
    ///   - cancel: Ends the exchange. Called at most once, when the reader does not want the rest.
    public init(
        next: @escaping @Sendable () async throws(ExchangeError) -> [UInt8]?, cancel: @escaping @Sendable () -> Void
    ) {
        read = next
        stop = cancel
    }

    /// Creates a body from bytes in memory.
    public init(_ bytes: [UInt8]) {
        let rest = SingleUseBytes(bytes)
        self.init(next: { () throws(ExchangeError) in rest.take() }, cancel: {})
    }

    /// Returns the next chunk; nil after the last one.
    ///
    /// - Throws: ``ExchangeError`` if the body ends early; such a body never ends with nil.
    public func next() async throws(ExchangeError) -> [UInt8]? { try await read() }

    /// Ends the exchange, when the rest of the body is not wanted.
    public func cancel() { stop() }

    /// Reads the rest of the body into memory.
    ///
    /// - Throws: ``ExchangeError``: `limitExceeded` past `byteCountMax`, after ending the exchange; or the error with
    ///   which the body ended early.
    public func bytes(byteCountMax: Int) async throws(ExchangeError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = try await next() {
            guard bytes.count + chunk.count <= byteCountMax else {
                cancel()
                throw ExchangeError(.limitExceeded, "the body has more than \(byteCountMax) bytes")
            }
            if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
        }
        return bytes
    }
}

/// The error of an exchange that gave no complete response. Its message names no URL and no header, because both may
/// hold credentials.
public struct ExchangeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason of the failure.
    public var code: ExchangeCode
    /// A sentence about the failure, for people.
    public var message: String

    /// Creates an error.
    public init(_ code: ExchangeCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}

/// Performs HTTP exchanges. HTTP caching and GraphQL reach the network only through this protocol.
///
/// ```swift
/// struct CountingTransport: HTTPTransport {
///     let transport: any HTTPTransport
///     func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeResponse {
///         print("sending a body of \(exchange.body.count) bytes")
///         return try await transport.exchange(exchange)
///     }
/// }
/// let client = CachingHTTPClient(
///     cache: HTTPResponseCache(cache), transport: CountingTransport(transport: CurlTransport()))
/// ```
///
/// - Source: Protocol/http.md, transports.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns as soon as the head of its response has arrived. Cancelling the task ends the
    /// exchange.
    ///
    /// - Throws: ``ExchangeError``.
    func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeResponse
}

/// A transport that reaches no host: every exchange fails with `offline`.
public struct OfflineTransport: HTTPTransport {
    private let message: String

    /// Creates a transport whose errors have the given message.
    public init(_ message: String = "the network is switched off") { self.message = message }

    /// Throws ``ExchangeError`` `offline`.
    public func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeResponse {
        throw ExchangeError(.offline, message)
    }
}
