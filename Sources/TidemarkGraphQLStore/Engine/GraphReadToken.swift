import Synchronization

/// Stands for one read, so that its reader can give it up.
package final class GraphReadToken: Sendable {
    private let cancelled = Mutex(false)

    package init() {}

    package var isCancelled: Bool { cancelled.withLock { $0 } }

    /// Notes that nobody waits for the read any more; `SyncCache.cancelGraph` then ends it.
    package func cancel() { cancelled.withLock { $0 = true } }
}
