extension Duration {
    /// Whole milliseconds, rounded down; the largest there are for what does not fit.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
        if overflows { return seconds < 0 ? .min : .max }
        return product + attoseconds / 1_000_000_000_000_000
    }
}
