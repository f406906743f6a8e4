import Synchronization

/// The HTTP subscriptions of one session, kept so that they end with it.
///
/// Bounded by the cache's limit on observers.
final class HTTPSubscriptions: Sendable {
    private let numbers = Mutex<Set<Int64>>([])

    func add(_ number: Int64) { numbers.withLock { _ = $0.insert(number) } }

    func remove(_ number: Int64) { numbers.withLock { _ = $0.remove(number) } }

    func takeAll() -> [Int64] {
        numbers.withLock { numbers in
            defer { numbers = [] }
            return numbers.sorted()
        }
    }
}
