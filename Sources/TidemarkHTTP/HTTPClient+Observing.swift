import Tidemark
import TidemarkHTTPRules
import TidemarkModel

extension HTTPClient {
    /// Fetches a response, and reports from then on when the stored response changes, or when the server confirms one
    /// that was served in place of its response.
    ///
    /// - Parameters:
    ///   - owner: The output that the observer belongs to, for ``cancelAll(of:)``; nil if its creator cancels it.
    ///   - tell: Called on the client's executor with the subscription's number and the new response; it must not
    ///     block.
    /// - Returns: The response, and the number for ``cancel(_:)``, which no other observer of the cache has.
    ///   If the observer is cancelled before the response arrives, the response is returned and nothing is observed.
    /// - Throws: As ``fetch(_:)``, and ``CacheError`` `limitExceeded` beyond ``HTTPObservers/countMax`` observers.
    package func observe(
        _ fetch: HTTPFetch, owner: ObjectIdentifier? = nil,
        _ tell: @escaping @Sendable (SubscriptionID, HTTPFetched) -> Void
    ) async throws(CacheError) -> (HTTPFetched, SubscriptionID) {
        // Taken before the fetch: nothing may change between its response and the observation.
        let number = await cache.newSubscription()
        guard observers.count < HTTPObservers.countMax else {
            throw CacheError(.limitExceeded, "there are \(observers.count) observers: cancel some first")
        }
        observers.begin(number, owner: owner)
        let fetched: HTTPFetched
        do throws(CacheError) {
            fetched = try await self.fetch(fetch)
        } catch {
            _ = observers.endBeginning(number)
            throw error
        }
        guard observers.endBeginning(number) else { return (fetched, number) }
        observers.add(.init(fetch: fetch, owner: owner, tell: { tell(number, $0) }, last: fetched), number)
        if fetched.status.isFallback { askUntilReached(fetch) }
        return (fetched, number)
    }

    /// Ends an observation.
    ///
    /// - Returns: False if there is no such subscription.
    package func cancel(_ subscription: SubscriptionID) -> Bool { observers.remove(subscription) }

    /// Ends the observations of an output.
    package func cancelAll(of owner: ObjectIdentifier) { observers.removeAll(of: owner) }

    /// Notifies the observers of one request.
    func tell(_ key: ExchangeKey, _ fetched: HTTPFetched) {
        var news = fetched
        // Cookies are for the request that fetched them.
        news.head.fields.remove("set-cookie")
        for (number, observer) in observers.all.sorted(by: { $0.key.rawValue < $1.key.rawValue })
        where observer.key == key {
            tell(number, observer, news)
        }
    }

    /// Notifies the observers of responses that were stored or confirmed with another content.
    func tellObservers() async {
        for (number, observer) in observers.takeChanged() {
            var look = observer.fetch
            look.rules = .options(.enabled, timeout: nil)
            // A notification that cannot hold the body is sent without it, so no limit applies here.
            look.answerByteCountMax = nil
            do throws(CacheError) {
                let salt = try await fileSalt()
                let lookup = try await store.look(look, key: look.key, salt: salt)
                guard let found = lookup.found else { continue }
                let range = RangeRules.outcome(look.request, found.answer.head)
                guard range != .lacking, let body = try await bodyOf(found, look, range, usedAt: nil) else { continue }
                var served = serve(found, body, look, range, at: clock.now())
                // The server has just sent or confirmed it.
                served.isStale = false
                guard let current = observers.all[number] else { continue }
                tell(number, current, served)
            } catch {
                // The observer is notified at the next change; a failed read changes nothing.
                continue
            }
        }
    }

    private func tell(_ number: SubscriptionID, _ observer: HTTPObservers.Observer, _ fetched: HTTPFetched) {
        // A response that the observer already knows is not reported again.
        let isSame = observer.last?.isSameNews(as: fetched) ?? false
        observers.record(number, fetched)
        if !isSame { observer.tell(fetched) }
    }
}

extension HTTPFetched {
    /// True if another response is no news for an observer that got this one. The server's confirmation is news for an
    /// observer that got the response without it.
    fileprivate func isSameNews(as other: HTTPFetched) -> Bool {
        body == other.body && head.status == other.head.status && isStale == other.isStale
            && status.isFallback == other.status.isFallback
    }
}
