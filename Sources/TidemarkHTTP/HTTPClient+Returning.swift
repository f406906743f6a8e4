import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// The return of hosts that could not be reached: observed requests that got a stored answer in place of the server's
/// are asked again.
///
/// | event | step |
/// |---|---|
/// | a fallback is served, and somebody observes the request | a pause of 1 s begins |
/// | a pause ends | one question for all observers of the request |
/// | another exchange with the origin succeeds | the pause ends at once, if the host could not be reached |
/// | the question fails, or the server answers with an error | a pause twice as long, at most 60 s |
/// | the server answers | the observers are told |
/// | nobody observes the request any more | the end |
///
/// - Source: Protocol/http.md, observing.
extension HTTPClient {
    /// The pauses between two questions, in milliseconds: 1 s, doubled up to 60 s.
    static let returnPauses: (first: Int64, max: Int64) = (1_000, 60_000)

    /// An observed request that is asked again until its host answers.
    struct Return {
        /// The origin of the request's URL.
        var origin: ByteString
        /// The pause; nil while the host is asked.
        var pause: Task<Void, Never>?
        /// Whether an exchange of another request may end the pause: once for each whole pause, so that a request that
        /// fails by itself is not asked with every success beside it.
        var isWakeable: Bool
    }

    /// Asks for the answer of a request until its host answers, when somebody observes it.
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

    /// Notes that a host has answered: those who wait for it ask at once.
    func reached(_ origin: ByteString) {
        for (key, waiting) in returning where waiting.isWakeable && waiting.origin == origin {
            guard let pause = waiting.pause else { continue }
            returning[key]?.isWakeable = false
            pause.cancel()
        }
    }

    /// The number of requests that are asked again until their host answers.
    package var returningCount: Int { returning.count }

    private func isObserved(_ key: ExchangeKey) -> Bool { observers.all.values.contains { $0.key == key } }

    private func returnEnded(_ key: ExchangeKey) { returning[key] = nil }

    private func pause(_ key: ExchangeKey, _ milliseconds: Int64) async {
        let pause = Task { [clock] in
            do throws(CancellationError) {
                try await clock.sleep(milliseconds: milliseconds)
                self.pauseEnded(key)
            } catch {
                // Somebody else reached the host, or the client is closed.
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

    /// Asks for an observed answer, and tells its observers.
    ///
    /// - Returns: Whether the server answered, or nobody observes any more.
    private func isReachedAgain(_ key: ExchangeKey) async -> Bool {
        guard let observer = observers.all.values.first(where: { $0.key == key }) else { return true }
        var fetch = observer.fetch
        // The question must be asked, with the stored validators; a stored answer would only bring what is known.
        switch fetch.rules {
        case .standard: fetch.request.fields.append("Cache-Control", "no-cache")
        case .options(let options, _):
            fetch.rules = .options(
                options.subtracting([.enabled, .timeout, .maxAge, .staleWhileRevalidate]).union(.etag), timeout: nil)
        }
        do throws(CacheError) {
            let fetched = try await self.fetch(fetch)
            guard !fetched.status.isFallback, !fetched.isOutdated,
                !AnswerRules.errorStatuses.contains(fetched.head.status)
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
