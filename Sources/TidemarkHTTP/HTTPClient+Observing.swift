import Tidemark
import TidemarkHTTPRules
import TidemarkModel

extension HTTPClient {
    /// The first number of a subscription: those of entities and queries are below.
    package static let firstSubscription: Int64 = 1 << 40
    /// The pauses between two questions while a host cannot be reached, in milliseconds: 1 s, doubled up to 60 s.
    static let retryPauses: (first: Int64, max: Int64) = (1_000, 60_000)

    /// Fetches, and tells from then on when the stored answer becomes another one, or is confirmed after it was served
    /// in place of an answer that did not come.
    ///
    /// - Parameter tell: Called on the client's executor; it must not wait.
    /// - Returns: The answer and the number for ``cancel(_:)``.
    /// - Throws: As ``fetch(_:)``.
    package func observe(
        _ fetch: HTTPFetch, _ tell: @escaping @Sendable (Int64, HTTPFetched) -> Void
    ) async throws(CacheError) -> (HTTPFetched, Int64) {
        guard observers.all.count < HTTPObservers.countMax else {
            throw CacheError(.limitExceeded, "there are \(observers.all.count) observers: cancel some first")
        }
        let fetched = try await self.fetch(fetch)
        let number = nextSubscription
        nextSubscription += 1
        observers.add(.init(fetch: fetch, tell: { tell(number, $0) }, last: fetched), number)
        if fetched.status.detail != nil { retry(number) }
        return (fetched, number)
    }

    /// - Returns: false when there is no such subscription.
    package func cancel(_ subscription: Int64) -> Bool { observers.remove(subscription) }

    /// Asks again until the host can be reached: for all observers of one request one question.
    private func retry(_ number: Int64) {
        guard let observer = observers.all[number] else { return }
        let key = ExchangeKey(observer.fetch, sent: observer.fetch.request)
        guard retrying.insert(key).inserted else { return }
        spawn { [clock] in
            var pause = HTTPClient.retryPauses.first
            while await self.isObserved(key) {
                do throws(CancellationError) {
                    try await clock.sleep(milliseconds: pause)
                } catch {
                    break
                }
                if await self.isReachedAgain(key) { break }
                pause = min(pause * 2, HTTPClient.retryPauses.max)
            }
            await self.retryEnded(key)
        }
    }

    private func retryEnded(_ key: ExchangeKey) { retrying.remove(key) }

    private func isObserved(_ key: ExchangeKey) -> Bool {
        observers.all.values.contains { ExchangeKey($0.fetch, sent: $0.fetch.request) == key }
    }

    /// Asks for an observed answer.
    ///
    /// - Returns: Whether the host answered, or nobody observes any more.
    private func isReachedAgain(_ key: ExchangeKey) async -> Bool {
        let observer = observers.all.values.first { ExchangeKey($0.fetch, sent: $0.fetch.request) == key }
        guard let observer else { return true }
        var fetch = observer.fetch
        // The question must be asked, with the stored validators; a fallback would only bring what is known.
        if fetch.rules != .standard { fetch.rules = .options(.etag, timeout: nil) }
        if fetch.rules == .standard { fetch.request.fields.set("Cache-Control", "no-cache") }
        do throws(CacheError) {
            let fetched = try await self.fetch(fetch)
            guard fetched.status.detail == nil else { return false }
            tell(key, fetched)
            return true
        } catch {
            return false
        }
    }

    private func tell(_ key: ExchangeKey, _ fetched: HTTPFetched) {
        for (number, observer) in observers.all.sorted(by: { $0.key < $1.key })
        where ExchangeKey(observer.fetch, sent: observer.fetch.request) == key {
            // An observer that was notified of the same answer when it was stored is notified of it once.
            guard observer.last.map({ !$0.isSameNews(as: fetched) }) ?? true else { continue }
            observers.told(number, fetched)
            observer.tell(fetched)
        }
    }

    /// Notifies the observers of answers that were stored or confirmed with another content.
    func tellObservers() async {
        for (number, observer) in observers.takeChanged() {
            var look = observer.fetch
            look.rules = .options(.enabled, timeout: nil)
            // A notification that cannot hold the body is sent without it.
            look.answerByteCountMax = nil
            do throws(CacheError) {
                let salt = try await fileSalt()
                let lookup = try await store.look(look, key: look.key, salt: salt)
                guard let found = lookup.found else { continue }
                let range = RangeRules.outcome(look.request, found.answer.head)
                guard range != .lacking, let body = try await bodyOf(found, look, range, usedAt: nil) else { continue }
                var served = serve(found, body, look, range, at: clock.now())
                // It was stored or confirmed just now: the server's word.
                served.isStale = false
                guard let current = observers.all[number] else { continue }
                let isSame = current.last?.isSameNews(as: served) ?? false
                observers.told(number, served)
                if !isSame { observer.tell(served) }
            } catch {
                // The observer is notified at the next change; a read of the disk that failed changes nothing.
                continue
            }
        }
    }
}

extension HTTPFetched {
    /// Tells whether an observer that knows this answer learns nothing from another one.
    fileprivate func isSameNews(as other: HTTPFetched) -> Bool {
        body == other.body && head.status == other.head.status && isStale == other.isStale
    }
}
