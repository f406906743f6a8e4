import Tidemark
import TidemarkHTTPRules
import TidemarkModel

extension HTTPClient {
    /// The first number of a subscription: those of entities and queries are below.
    package static let firstSubscription: Int64 = 1 << 40

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
        if fetched.status.isFallback { askUntilReached(fetch) }
        return (fetched, number)
    }

    /// - Returns: false when there is no such subscription.
    package func cancel(_ subscription: Int64) -> Bool { observers.remove(subscription) }

    /// Tells the observers of one request of an answer.
    func tell(_ key: ExchangeKey, _ fetched: HTTPFetched) {
        var news = fetched
        // Cookies are for the request that fetched them.
        news.head.fields.remove("set-cookie")
        for (number, observer) in observers.all.sorted(by: { $0.key < $1.key }) where observer.key == key {
            tell(number, observer, news)
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
                tell(number, current, served)
            } catch {
                // The observer is notified at the next change; a read of the disk that failed changes nothing.
                continue
            }
        }
    }

    private func tell(_ number: Int64, _ observer: HTTPObservers.Observer, _ fetched: HTTPFetched) {
        // An observer that heard of the same answer when it was stored hears of it once.
        let isSame = observer.last?.isSameNews(as: fetched) ?? false
        observers.record(number, fetched)
        if !isSame { observer.tell(fetched) }
    }
}

extension HTTPFetched {
    /// Tells whether an observer that knows this answer learns nothing from another one. That the server stands for an
    /// answer again is news to those who got it without its word.
    fileprivate func isSameNews(as other: HTTPFetched) -> Bool {
        body == other.body && head.status == other.head.status && isStale == other.isStale
            && status.isFallback == other.status.isFallback
    }
}
