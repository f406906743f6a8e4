import TidemarkHTTPRules
import TidemarkModel

/// The observers of stored answers. Bounded by ``countMax``.
struct HTTPObservers {
    /// The largest number of observers: 10,000.
    static let countMax = 10_000

    struct Observer {
        let fetch: HTTPFetch
        /// The request in the form in which one question serves all its observers.
        let key: ExchangeKey
        var tell: @Sendable (HTTPFetched) -> Void
        /// The answer that the observer knows.
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
    /// The requests whose stored answer changed since the observers were notified.
    private var isChanged: Set<ByteString> = []

    mutating func add(_ observer: Observer, _ number: Int64) { all[number] = observer }

    mutating func remove(_ number: Int64) -> Bool { all.removeValue(forKey: number) != nil }

    mutating func record(_ number: Int64, _ fetched: HTTPFetched) { all[number]?.last = fetched }

    /// Notes that the stored answer of a request is another one, or newer.
    mutating func changed(_ fetch: HTTPFetch) {
        guard !all.isEmpty else { return }
        isChanged.insert(fetch.request.url.text)
    }

    /// Returns the observers of changed answers, and forgets the changes.
    mutating func takeChanged() -> [(number: Int64, observer: Observer)] {
        defer { isChanged = [] }
        return all.filter { isChanged.contains($0.value.fetch.request.url.text) }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
