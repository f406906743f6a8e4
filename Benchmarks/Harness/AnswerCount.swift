import Foundation
import Synchronization

/// Counts answers on one thread, so that another thread can wait for them.
final class AnswerCount: Sendable {
    private let count = Mutex(0)

    /// Counts one more answer.
    func add() { count.withLock { $0 += 1 } }

    /// Blocks until `wanted` answers were counted. Traps after about a minute.
    func wait(for wanted: Int) {
        for _ in 0..<120_000 {
            if count.withLock({ $0 >= wanted }) { return }
            usleep(500)
        }
        preconditionFailure("of \(wanted) answers came \(count.withLock { $0 })")
    }
}
