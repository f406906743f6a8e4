import Foundation
import HTTPTypes
import TidemarkHTTP
import TidemarkHTTPRules

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport over Foundation's URLSession, for apps that want the system's settings: its proxies, its VPN, its
/// certificates.
///
/// In a module of its own: on Linux Foundation's networking loads some 30 libraries at the start of a program.
///
/// | it cannot tell | so |
/// |---|---|
/// | the order and repeats of header fields | fields come sorted by name, repeated ones as one, joined with commas |
/// | whether a body was coded | a body is decoded, and has neither `Content-Encoding` nor `Content-Length` |
/// | whether a decoded body, or one without a length, ended early | it counts as whole; one that is shorter than its `Content-Length` is `truncated` |
/// | the reason phrase | it is empty |
///
/// The session that it makes keeps no cookies, no cache and no credentials, and follows no redirect.
///
/// - Source: Protocol/http.md, transports.
public final class URLSessionTransport: HTTPTransport, Sendable {
    private let session: URLSession
    private let exchanges: URLSessionExchanges

    /// - Parameter configuration: The system's settings. Its stores of cookies, answers and credentials are not used.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
        // A copy, where Foundation gives one: the caller's object stays as it is.
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

    public func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeAnswer {
        guard let request = URLSessionTransport.request(exchange) else {
            throw ExchangeError(.connectionLost, "Foundation cannot use this URL")
        }
        let task = session.dataTask(with: request)
        let running = URLSessionExchange(task)
        exchanges.add(running, task.taskIdentifier)
        running.limit(milliseconds: exchange.streamTimeout ?? exchange.timeout)
        let head = try await withTaskCancellationHandler {
            task.resume()
            return await running.head()
        } onCancel: {
            running.cancel(.cancelled)
        }.get()
        // The session is kept as long as a body is read.
        return HTTPExchangeAnswer(
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
        // The whole exchange has a time of its own; this one is for each pause.
        request.timeoutInterval = max(1, Double(exchange.timeout) / 1_000)
        for field in head.headerFields { request.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        if !exchange.body.isEmpty { request.httpBody = Data(exchange.body) }
        return request
    }
}
