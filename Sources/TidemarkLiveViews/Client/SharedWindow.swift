import Synchronization
import Tidemark
import TidemarkViews

/// The part of a view's rows that the iterators of one observation show.
final class SharedWindow: Sendable {
    /// The first row and the number of rows; nil for those of the rule.
    struct Position: Equatable {
        var offset: Int?
        var limit: Int?
    }

    private struct State {
        var position: Position
        /// The observers of the iterators that have begun and not ended.
        var subscriptions: Set<SubscriptionID> = []
    }

    private let state: Mutex<State>

    init(_ position: Position) { state = Mutex(State(position: position)) }

    var position: Position { state.withLock { $0.position } }

    func add(_ subscription: SubscriptionID) { state.withLock { _ = $0.subscriptions.insert(subscription) } }

    func remove(_ subscription: SubscriptionID) { state.withLock { _ = $0.subscriptions.remove(subscription) } }

    /// Changes the position; what is nil stays.
    ///
    /// - Returns: The observers to move.
    func move(offset: Int?, limit: Int?) -> [SubscriptionID] {
        state.withLock { state in
            if let offset { state.position.offset = offset }
            if let limit { state.position.limit = limit }
            return state.subscriptions.sorted { $0.rawValue < $1.rawValue }
        }
    }

    /// Moves an observer to the position. Returns once the change is among its notifications.
    ///
    /// - Throws: ``/Tidemark/CacheError``; not if the observer has ended.
    func show(_ subscription: SubscriptionID, in cache: SyncCache) async throws(CacheError) {
        var shown: Position
        repeat {
            shown = position
            let target = shown
            do throws(CacheError) {
                try await cache.withWing(ViewEngine.self) { (engine, cache) throws(CacheError) in
                    try await engine.move(subscription, offset: target.offset, limit: target.limit, in: cache)
                }
            } catch {
                guard error.code == .unknownSubscription else { throw error }
                return remove(subscription)
            }
            // Another move may have come between, and been overtaken.
        } while shown != position
    }
}
