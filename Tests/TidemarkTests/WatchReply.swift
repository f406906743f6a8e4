import Synchronization
import Tidemark

/// What the observer of an entity was answered.
final class WatchReply: Sendable {
    private let result = Mutex<Result<(EntityRead, SubscriptionID), CacheError>?>(nil)

    func take(_ result: Result<(EntityRead, SubscriptionID), CacheError>) { self.result.withLock { $0 = result } }

    /// - Returns: nil when nothing was answered yet.
    func subscription() throws -> SubscriptionID? { try result.withLock { try $0?.get().1 } }
}
