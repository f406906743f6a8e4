import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// Retries for hosts that could not be reached: an observed request that has only a stored response is sent to its
/// server again.
///
/// | event | step |
/// |---|---|
/// | a fallback is served for an observed request | a pause of 1 s begins |
/// | a pause ends | one request is sent for all observers |
/// | another exchange with the origin succeeds | the pause ends at once, if the host could not be reached |
/// | the request fails, or the server sends an error | a pause twice as long, at most 60 s |
/// | the server responds | the observers are notified |
/// | the request is not observed any more | the retries end |
///
/// - Source: Protocol/http.md, observing.
extension HTTPClient {
    /// The pauses between retries, in milliseconds: 1 s, doubling up to 60 s.
    static let returnPauses: (first: Int64, max: Int64) = (1_000, 60_000)

    /// An observed request that is retried until its host responds.
    struct Return {
        /// The origin of the request's URL.
        var origin: ByteString
        /// The pause under way; nil while the request is being sent.
        var pause: Task<Void, Never>?
        /// True if a success of another request may end the pause. This happens once for each complete pause, so that a
        /// request that fails by itself is not sent again after every success of others.
        var isWakeable: Bool
    }

    /// Starts retrying a request until its host responds, if the request is observed and not retried yet.
    func askUntilReached(_ fetch: HTTPFetch) {
        let key = ExchangeKey(fetch)
        guard returning[key] == nil, isObserved(key) else { return }
        returning[key] = Return(origin: fetch.request.url.origin, pause: nil, isWakeable: true)
        spawn {
            var pause = HTTPClient.returnPauses.first
            while await self.isObserved(key) {
                await self.pause(key, pause)
                if Task.isCancelled { break }
                if await self.isReachedAgain(key) { break }
                pause = min(pause * 2, HTTPClient.returnPauses.max)
            }
            await self.returnEnded(key)
        }
    }

    /// Ends the pauses of retries to a host that has just responded.
    func reached(_ origin: ByteString) {
        for (key, waiting) in returning where waiting.isWakeable && waiting.origin == origin {
            guard let pause = waiting.pause else { continue }
            returning[key]?.isWakeable = false
            pause.cancel()
        }
    }

    /// The number of requests being retried.
    package var returningCount: Int { returning.count }

    private func isObserved(_ key: ExchangeKey) -> Bool { observers.all.values.contains { $0.key == key } }

    private func returnEnded(_ key: ExchangeKey) { returning[key] = nil }

    private func pause(_ key: ExchangeKey, _ milliseconds: Int64) async {
        let pause = Task { [clock] in
            do throws(CancellationError) {
                try await clock.sleep(milliseconds: milliseconds)
                self.pauseEnded(key)
            } catch {
                // Another request reached the host, or the client was closed.
            }
        }
        returning[key]?.pause = pause
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        returning[key]?.pause = nil
    }

    private func pauseEnded(_ key: ExchangeKey) { returning[key]?.isWakeable = true }

    /// Sends an observed request again, and notifies its observers of the response.
    ///
    /// - Returns: True if the server responded, or the request is not observed any more.
    private func isReachedAgain(_ key: ExchangeKey) async -> Bool {
        guard let observer = observers.all.values.first(where: { $0.key == key }) else { return true }
        var fetch = observer.fetch
        // The server must be asked, with the stored validators: a stored response would bring nothing new.
        switch fetch.rules {
        case .standard: fetch.request.fields.append("Cache-Control", "no-cache")
        case .options(let options, _):
            fetch.rules = .options(
                options.subtracting([.enabled, .timeout, .maxAge, .staleWhileRevalidate]).union(.etag), timeout: nil)
        }
        do throws(CacheError) {
            let fetched = try await self.fetch(fetch)
            guard !fetched.status.isFallback, !fetched.isOutdated,
                !ResponseRules.errorStatuses.contains(fetched.head.status)
            else {
                return false
            }
            tell(key, fetched)
            return true
        } catch {
            return false
        }
    }
}
