#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The processor that a commit runs on.
enum Processor {
    /// Lets a thread run that waits for this processor, if there is one.
    ///
    /// The system lets a commit finish its time slice even when another processor is idle: an event that came meanwhile
    /// waited 3 ms for some microseconds of work. Costs 0.3 µs when nobody waits.
    /// - Source: docs/decisions/0004-flush-policy.md.
    static func yield() {
        _ = sched_yield()
    }

    /// Rows that are encoded between two offers: some 50 µs.
    static let yieldRowCount = 16
}
