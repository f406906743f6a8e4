import Synchronization

/// Counts damaged rows and passes each to a callback.
final class DamagedRowCounter: Sendable {
    private let total = Atomic<Int>(0)
    private let next: @Sendable (DamagedRow) -> Void

    init(_ next: @escaping @Sendable (DamagedRow) -> Void) {
        self.next = next
    }

    var count: Int { total.load(ordering: .relaxed) }

    func add(_ row: DamagedRow) {
        total.add(1, ordering: .relaxed)
        next(row)
    }
}
