/// A fragment that a server may send later, as in `@Deferred var details: Details?`.
///
/// The property is nil until the fragment has arrived; the projected value `$details` says why.
@propertyWrapper
public struct Deferred<Value: SelectionSet>: Hashable, Sendable {
    /// How far a deferred fragment has been delivered.
    public enum State: Hashable, Sendable {
        /// The fragment has not arrived yet.
        case pending
        /// The fragment has arrived.
        case fulfilled(Value)
        /// The server could not deliver the fragment; the messages are those of its errors.
        case failed([String])
        /// The fragment's type condition does not hold for the object.
        case notExecuted
    }

    /// How far the fragment has been delivered.
    public var projectedValue: State

    /// The fragment; nil unless the state is `fulfilled`. Setting it to nil makes the fragment pending.
    public var wrappedValue: Value? {
        get { if case .fulfilled(let value) = projectedValue { value } else { nil } }
        set { projectedValue = newValue.map(State.fulfilled) ?? .pending }
    }

    /// Creates a fulfilled fragment, or a pending one for nil.
    public init(wrappedValue: Value?) {
        projectedValue = wrappedValue.map(State.fulfilled) ?? .pending
    }

    /// Creates a fragment in any state.
    public init(state: State) {
        projectedValue = state
    }
}

extension Deferred.State {
    /// Returns the same state with the fragment converted to another type.
    public func map<Other>(_ transform: (Value) -> Other) -> Deferred<Other>.State {
        switch self {
        case .pending: .pending
        case .fulfilled(let value): .fulfilled(transform(value))
        case .failed(let messages): .failed(messages)
        case .notExecuted: .notExecuted
        }
    }
}

/// A deferred fragment that failed.
public struct DeferredFailure: Hashable, Sendable {
    /// The path of the fragment's object from the root of `data`.
    public var path: [SelectionPathElement]
    /// The label of the `@defer` directive; nil if it has none.
    public var label: String?
    /// The messages of the errors that explain the failure.
    public var messages: [String]

    /// Creates the description of a failed fragment.
    public init(path: [SelectionPathElement], label: String?, messages: [String]) {
        self.path = path
        self.label = label
        self.messages = messages
    }
}
