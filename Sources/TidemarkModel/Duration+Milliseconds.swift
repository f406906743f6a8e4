extension Duration {
    /// The duration in whole milliseconds, rounded down; the nearest `Int64` when it does not fit.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
        if overflows { return seconds < 0 ? .min : .max }
        return product + attoseconds / 1_000_000_000_000_000
    }
}
