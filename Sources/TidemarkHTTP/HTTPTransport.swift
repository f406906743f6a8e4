import TidemarkHTTPRules
import TidemarkModel

/// One request of one hop, for a transport. Redirects are not the transport's concern.
public struct HTTPExchange: Sendable {
    package var method: ByteString
    package var url: HTTPURL
    package var fields: HeaderFields
    public var body: [UInt8]
    /// The milliseconds until the whole answer must have come; with a ``streamTimeout``, until its head must.
    public var timeout: Int64
    /// The milliseconds until there is a connection; nil: as long as the answer may take.
    public var connectTimeout: Int64?
    /// The milliseconds that an answer may take whose reader keeps the time itself; nil: ``timeout``.
    public var streamTimeout: Int64?

    package init(
        method: ByteString, url: HTTPURL, fields: HeaderFields, body: [UInt8] = [], timeout: Int64,
        connectTimeout: Int64? = nil, streamTimeout: Int64? = nil
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

/// The head of an answer, with the body as it comes.
public struct HTTPExchangeAnswer: Sendable {
    package var head: ResponseHead
    package var body: HTTPBody

    package init(head: ResponseHead, body: HTTPBody) {
        self.head = head
        self.body = body
    }
}

/// A body in chunks, read once from front to end. A body that ends early ends with an error, never with nil.
public struct HTTPBody: Sendable {
    private let read: @Sendable () async throws(ExchangeError) -> [UInt8]?
    private let stop: @Sendable () -> Void

    /// - Parameters:
    ///   - next: Returns the next bytes, at least one; nil after the last.
    ///   - cancel: Ends the exchange; called at most once by the reader that does not want the rest.
    public init(
        next: @escaping @Sendable () async throws(ExchangeError) -> [UInt8]?, cancel: @escaping @Sendable () -> Void
    ) {
        read = next
        stop = cancel
    }

    /// Makes a body of bytes that are all there.
    public init(_ bytes: [UInt8]) {
        let rest = SingleUseBytes(bytes)
        self.init(next: { () throws(ExchangeError) in rest.take() }, cancel: {})
    }

    public func next() async throws(ExchangeError) -> [UInt8]? { try await read() }

    public func cancel() { stop() }

    /// Reads the whole body.
    ///
    /// - Throws: ``ExchangeError`` `limit_exceeded` past `byteCountMax`; the exchange is ended then.
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

/// An exchange that gave no whole answer. The message names no URL and no header: both may hold credentials.
public struct ExchangeError: Error, Hashable, Sendable, CustomStringConvertible {
    public var code: ExchangeCode
    public var message: String

    public init(_ code: ExchangeCode, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code.rawValue): \(message)" }
}

/// Makes exchanges of HTTP: the one port to the network, for this cache and for GraphQL.
///
/// - Source: Protocol/http.md, transports.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns when the head of its answer is there. Cancelling the task ends the exchange.
    ///
    /// - Throws: ``ExchangeError``.
    func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeAnswer
}

/// A transport for which no host can be reached.
public struct OfflineTransport: HTTPTransport {
    private let message: String

    public init(_ message: String = "the network is switched off") { self.message = message }

    public func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeAnswer {
        throw ExchangeError(.offline, message)
    }
}
