#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

import TidemarkStore

/// The processor that runs a commit.
enum Processor {
    /// Yields to a thread that waits for this processor, if there is one.
    ///
    /// The system lets a commit finish its time slice even when another processor is idle: an event that arrived
    /// meanwhile waited 3 ms for some microseconds of work. A call costs 0.3 µs when no thread waits.
    ///
    /// - Source: docs/decisions/0004-flush-policy.md.
    static func yield() {
        _ = sched_yield()
    }

    /// Returns the number of rows between two calls of ``yield()``: at least 16, about 50 µs, and so many that a flush
    /// makes at most 64 calls. On a busy machine each call gives a whole time slice to any thread that wants to
    /// compute: with a call every 16 rows, a large flush beside a compiler got a twentieth of a processor.
    static func yieldRowCount(of flush: FlushBatch) -> Int { max(16, flush.rows.count / 64) }
}
