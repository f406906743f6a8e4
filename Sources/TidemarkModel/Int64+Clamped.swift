/// Times and spans of time come from policies, hosts and files: sums of them may lie beyond what a number holds, and then
/// are its end, which is as good as never.
extension Int64 {
    /// The sum, or the end that it lies beyond.
    @inlinable
    package func addingClamped(_ other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the end that it lies beyond.
    @inlinable
    package func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .max : .min) : difference
    }

    /// So many seconds in milliseconds, or the end that they lie beyond.
    @inlinable
    package init(millisecondsOfSeconds seconds: Int) {
        let (product, isBeyond) = Int64(seconds).multipliedReportingOverflow(by: 1_000)
        self = isBeyond ? (seconds < 0 ? .min : .max) : product
    }
}
