#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

import TidemarkStore

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

    /// Rows between two offers: at least 16, some 50 µs, and so many that a flush makes 64 at most. On a busy machine an offer
    /// is taken by whoever wants to compute, for a whole time slice: with one every 16 rows a large flush got a twentieth
    /// of a processor beside a compiler.
    static func yieldRowCount(of flush: FlushBatch) -> Int { max(16, flush.rows.count / 64) }
}
