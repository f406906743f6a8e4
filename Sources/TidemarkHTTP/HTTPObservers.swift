import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// The observers of stored responses. Bounded by ``countMax``.
struct HTTPObservers {
    /// The largest number of observers: 10,000.
    static let countMax = 10_000

    struct Observer {
        let fetch: HTTPFetch
        /// What makes requests equal: one exchange serves all observers with the same key.
        let key: ExchangeKey
        /// The output that the observer belongs to; nil if its creator cancels it.
        let owner: ObjectIdentifier?
        var tell: @Sendable (HTTPFetched) -> Void
        /// The response that the observer saw last.
        var last: HTTPFetched?

        init(
            fetch: HTTPFetch, owner: ObjectIdentifier?, tell: @escaping @Sendable (HTTPFetched) -> Void,
            last: HTTPFetched?
        ) {
            self.fetch = fetch
            self.owner = owner
            key = ExchangeKey(fetch)
            self.tell = tell
            self.last = last
        }
    }

    /// The observers by subscription.
    private(set) var all: [SubscriptionID: Observer] = [:]
    /// The observers whose first response is on its way, with their owners. They count against ``countMax``.
    private var begun: [SubscriptionID: ObjectIdentifier?] = [:]
    /// The URLs whose stored response changed since the observers were notified.
    private var isChanged: Set<ByteString> = []

    /// The number of observers, those that are about to begin included.
    var count: Int { all.count + begun.count }

    /// Notes an observer before its first response is fetched, so that it can be cancelled meanwhile.
    mutating func begin(_ number: SubscriptionID, owner: ObjectIdentifier?) { begun.updateValue(owner, forKey: number) }

    /// Ends the wait for a first response.
    ///
    /// - Returns: False if the observer was cancelled meanwhile.
    mutating func endBeginning(_ number: SubscriptionID) -> Bool { begun.removeValue(forKey: number) != nil }

    mutating func add(_ observer: Observer, _ number: SubscriptionID) { all[number] = observer }

    mutating func remove(_ number: SubscriptionID) -> Bool {
        let wasBegun = endBeginning(number)
        return all.removeValue(forKey: number) != nil || wasBegun
    }

    mutating func removeAll(of owner: ObjectIdentifier) {
        all = all.filter { $0.value.owner != owner }
        begun = begun.filter { $0.value != owner }
    }

    mutating func record(_ number: SubscriptionID, _ fetched: HTTPFetched) { all[number]?.last = fetched }

    /// Records that the stored response of a request was replaced or confirmed.
    mutating func changed(_ fetch: HTTPFetch) {
        guard !all.isEmpty else { return }
        isChanged.insert(fetch.request.url.text)
    }

    /// Returns the observers of changed responses, and resets the changes.
    mutating func takeChanged() -> [(number: SubscriptionID, observer: Observer)] {
        defer { isChanged = [] }
        return all.filter { isChanged.contains($0.value.fetch.request.url.text) }
            .sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    }
}
