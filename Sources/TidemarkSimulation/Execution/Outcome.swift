import Synchronization

/// The result of a task of a simulated process, once the task has ended.
package final class Outcome<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)

    package init() {}

    /// The result; nil while the task is under way.
    package var value: Value? { state.withLock { $0 } }

    package func set(_ value: Value) { state.withLock { $0 = value } }
}
