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
        var tell: @Sendable (HTTPFetched) -> Void
        /// The response that the observer saw last.
        var last: HTTPFetched?

        init(fetch: HTTPFetch, tell: @escaping @Sendable (HTTPFetched) -> Void, last: HTTPFetched?) {
            self.fetch = fetch
            key = ExchangeKey(fetch)
            self.tell = tell
            self.last = last
        }
    }

    /// The observers by subscription.
    private(set) var all: [Int64: Observer] = [:]
    /// The URLs whose stored response changed since the observers were notified.
    private var isChanged: Set<ByteString> = []

    mutating func add(_ observer: Observer, _ number: Int64) { all[number] = observer }

    mutating func remove(_ number: Int64) -> Bool { all.removeValue(forKey: number) != nil }

    mutating func record(_ number: Int64, _ fetched: HTTPFetched) { all[number]?.last = fetched }

    /// Records that the stored response of a request was replaced or confirmed.
    mutating func changed(_ fetch: HTTPFetch) {
        guard !all.isEmpty else { return }
        isChanged.insert(fetch.request.url.text)
    }

    /// Returns the observers of changed responses, and resets the changes.
    mutating func takeChanged() -> [(number: Int64, observer: Observer)] {
        defer { isChanged = [] }
        return all.filter { isChanged.contains($0.value.fetch.request.url.text) }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
