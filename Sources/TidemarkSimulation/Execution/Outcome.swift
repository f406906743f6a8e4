import Synchronization

/// Holds the result of a task of a simulated process once the task has ended.
package final class Outcome<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)

    /// Creates an outcome without a result.
    package init() {}

    /// The result; nil while the task runs.
    package var value: Value? { state.withLock { $0 } }

    /// Sets the result.
    package func set(_ value: Value) { state.withLock { $0 = value } }
}
