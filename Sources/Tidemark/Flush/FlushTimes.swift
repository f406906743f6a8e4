/// A histogram of the durations of flushes.
package struct FlushTimes: Hashable, Sendable {
    /// The upper bounds of the bins, in milliseconds; the last bin has no upper bound.
    package static let bounds: [Int64] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

    /// The number of committed flushes in each bin, including the last, unbounded one.
    package private(set) var counts = [Int64](repeating: 0, count: bounds.count + 1)
    /// The number of flushes that were committed.
    package private(set) var committedCount: Int64 = 0
    /// The number of flushes that failed, each attempt counted.
    package private(set) var failedCount: Int64 = 0
    /// The total duration of all committed flushes.
    package private(set) var total = Duration.zero

    mutating func record(_ duration: Duration, isCommitted: Bool) {
        guard isCommitted else {
            failedCount += 1
            return
        }
        let bin = FlushTimes.bounds.firstIndex { duration <= .milliseconds($0) } ?? FlushTimes.bounds.count
        counts[bin] += 1
        committedCount += 1
        total += duration
    }
}
