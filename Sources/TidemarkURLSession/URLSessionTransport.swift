import Foundation
import HTTPTypes
import TidemarkHTTP
import TidemarkHTTPRules

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport over Foundation's URLSession, for apps that want the system's settings for proxies, VPNs and
/// certificates.
///
/// Pass it to `CachingHTTPClient` or `GraphQLClient` in place of `CurlTransport`.
///
/// It has a module of its own, because Foundation's networking loads some 30 libraries at the start of a program on
/// Linux.
///
/// | URLSession hides | so |
/// |---|---|
/// | the order and repeats of header fields | fields are sorted by name, and repeated ones joined with commas |
/// | whether a body was coded | bodies are decoded, and have neither `Content-Encoding` nor `Content-Length` |
/// | the early end of a body that is coded or has no length | it counts as complete; other bodies are `truncated` |
/// | the reason phrase | it is empty |
///
/// Its session keeps no cookies, no cache and no credentials, and follows no redirects.
///
/// - Source: Protocol/http.md, transports.
public final class URLSessionTransport: HTTPTransport, Sendable {
    private let session: URLSession
    private let exchanges: URLSessionExchanges

    /// Creates a transport with a session of its own.
    ///
    /// - Parameter configuration: The system's settings. Its cookie, cache and credential stores are not used.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
        // Copied, if Foundation allows it, so that the caller's object is not changed.
        let settings = configuration.copy() as? URLSessionConfiguration ?? configuration
        settings.urlCache = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.httpCookieAcceptPolicy = .never
        settings.urlCredentialStorage = nil
        exchanges = URLSessionExchanges()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: settings, delegate: exchanges, delegateQueue: queue)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request and returns as soon as the head of its response has arrived. Cancelling the task ends the
    /// exchange.
    ///
    /// - Throws: ``/TidemarkHTTP/ExchangeError``: `offline`, `timedOut`, `connectionLost`, `tlsFailed`, `truncated` or
    ///   `cancelled`.
    public func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeResponse {
        guard let request = URLSessionTransport.request(exchange) else {
            throw ExchangeError(.connectionLost, "Foundation cannot use this URL")
        }
        let task = session.dataTask(with: request)
        let running = URLSessionExchange(task)
        exchanges.add(running, task.taskIdentifier)
        running.limit(exchange.streamTimeout ?? exchange.timeout)
        let head = try await withTaskCancellationHandler {
            task.resume()
            return await running.head()
        } onCancel: {
            running.cancel(.cancelled)
        }.get()
        // The reader of the body keeps the session alive.
        return HTTPExchangeResponse(
            response: head,
            body: HTTPBody(
                next: { [self] () throws(ExchangeError) in
                    defer { withExtendedLifetime(self) {} }
                    return try await withTaskCancellationHandler {
                        await running.next()
                    } onCancel: {
                        running.cancel(.cancelled)
                    }.get()
                }, cancel: { running.cancel(.cancelled) }))
    }

    private static func request(_ exchange: HTTPExchange) -> URLRequest? {
        let head = exchange.request
        guard let url = URL(string: "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "/")") else {
            return nil
        }
        var request = URLRequest(url: url)
        request.httpMethod = head.method.rawValue
        // The whole exchange has a time limit of its own; this one applies to each pause.
        request.timeoutInterval = max(1, exchange.timeout / .seconds(1))
        for field in head.headerFields { request.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        if !exchange.body.isEmpty { request.httpBody = Data(exchange.body) }
        return request
    }
}
