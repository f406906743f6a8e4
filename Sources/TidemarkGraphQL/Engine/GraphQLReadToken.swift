import Synchronization

/// Identifies a read, so that its reader can cancel it.
package final class GraphQLReadToken: Sendable {
    private let cancelled = Mutex(false)

    /// Creates the token of one read.
    package init() {}

    /// True after ``cancel()``.
    package var isCancelled: Bool { cancelled.withLock { $0 } }

    /// Marks the read as cancelled; ``GraphQLEngine/cancel(_:in:)`` then ends it.
    package func cancel() { cancelled.withLock { $0 = true } }
}
