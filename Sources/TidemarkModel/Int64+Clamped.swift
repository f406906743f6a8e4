/// Arithmetic that clamps. Times and durations are read from policies, hosts and files; a sum that does not fit becomes
/// the largest or smallest number, which means never.
extension Int64 {
    /// Returns the sum, clamped to the range of the type.
    @inlinable
    package func addingClamped(_ other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .min : .max) : sum
    }

    /// Returns the difference, clamped to the range of the type.
    @inlinable
    package func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .max : .min) : difference
    }

    /// Converts seconds to milliseconds, clamped to the range of the type.
    @inlinable
    package init(millisecondsOfSeconds seconds: Int) {
        let (product, isBeyond) = Int64(seconds).multipliedReportingOverflow(by: 1_000)
        self = isBeyond ? (seconds < 0 ? .min : .max) : product
    }
}
