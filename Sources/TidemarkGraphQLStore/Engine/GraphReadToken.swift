import Synchronization

/// Identifies a read, so that its reader can cancel it.
package final class GraphReadToken: Sendable {
    private let cancelled = Mutex(false)

    /// Creates the token of one read.
    package init() {}

    /// True after ``cancel()``.
    package var isCancelled: Bool { cancelled.withLock { $0 } }

    /// Marks the read as cancelled; `SyncCache.cancelGraph` then ends it.
    package func cancel() { cancelled.withLock { $0 = true } }
}
