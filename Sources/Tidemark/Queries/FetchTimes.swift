import TidemarkModel
import TidemarkStore

/// The last fetch of each query, for people who look at a cache.
///
/// Bound: `queryCountMax` queries; past it all are forgotten.
struct FetchTimes {
    private static let queryCountMax = 10_000
    private var last: [QueryKey: FetchTime] = [:]

    subscript(key: QueryKey) -> FetchTime? { last[key] }

    /// Notes that a fetch ended.
    ///
    /// - Parameter failure: The reason why it brought no answer; nil: it brought one.
    mutating func note(_ key: QueryKey, begunAt: Int64, endedAt: Int64, failure: String?) {
        if last.count >= FetchTimes.queryCountMax, last[key] == nil { last = [:] }
        last[key] = FetchTime(at: endedAt, took: max(0, endedAt - begunAt), failure: failure)
    }
}
