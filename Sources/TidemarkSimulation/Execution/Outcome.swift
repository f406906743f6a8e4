import Synchronization

/// What a task of a simulated process came to, once it did.
package final class Outcome<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)

    package init() {}

    /// nil while it is under way.
    package var value: Value? { state.withLock { $0 } }

    package func settle(_ value: Value) { state.withLock { $0 = value } }
}
