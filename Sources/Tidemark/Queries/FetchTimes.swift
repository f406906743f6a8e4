import TidemarkModel
import TidemarkStore

/// The last fetch of each query, for people who inspect a cache.
///
/// Bounded by `queryCountMax` queries; past that all are dropped.
struct FetchTimes {
    private static let queryCountMax = 10_000
    private var last: [QueryKey: FetchTime] = [:]

    subscript(key: QueryKey) -> FetchTime? { last[key] }

    /// Records the end of a fetch.
    ///
    /// - Parameter failure: Why it brought no response; nil when it brought one.
    mutating func note(_ key: QueryKey, begunAt: Int64, endedAt: Int64, failure: String?) {
        if last.count >= FetchTimes.queryCountMax, last[key] == nil { last = [:] }
        last[key] = FetchTime(at: endedAt, took: max(0, endedAt - begunAt), failure: failure)
    }
}
