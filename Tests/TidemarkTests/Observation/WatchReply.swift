import Synchronization
import Tidemark

/// The reply to the observer of an entity.
final class WatchReply: Sendable {
    private let result = Mutex<Result<(EntityRead, SubscriptionID), CacheError>?>(nil)

    func take(_ result: Result<(EntityRead, SubscriptionID), CacheError>) { self.result.withLock { $0 = result } }

    /// Returns the subscription.
    ///
    /// - Returns: nil while there is no reply.
    func subscription() throws -> SubscriptionID? { try result.withLock { try $0?.get().1 } }
}
