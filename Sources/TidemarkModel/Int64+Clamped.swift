/// Arithmetic that clamps. Times and durations come from policies, hosts and files: a sum that does not fit becomes the
/// largest or smallest number, which means never.
extension Int64 {
    /// Returns the sum, or the end of the range that it exceeds.
    @inlinable
    package func addingClamped(_ other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .min : .max) : sum
    }

    /// Returns the difference, or the end of the range that it exceeds.
    @inlinable
    package func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .max : .min) : difference
    }

    /// Converts seconds to milliseconds, or to the end of the range that they exceed.
    @inlinable
    package init(millisecondsOfSeconds seconds: Int) {
        let (product, isBeyond) = Int64(seconds).multipliedReportingOverflow(by: 1_000)
        self = isBeyond ? (seconds < 0 ? .min : .max) : product
    }
}
