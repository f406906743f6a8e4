import Synchronization

/// The subscriptions of one session to HTTP answers, so that they can end with it.
///
/// Bounded by the cache's observers.
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
