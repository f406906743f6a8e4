/// A fragment that a server may send later: `@Deferred var details: Details?`.
///
/// The property is nil until the fragment is there; `$details` says why.
@propertyWrapper
public struct Deferred<Value: SelectionSet>: Hashable, Sendable {
    /// The delivery of a deferred fragment.
    public enum State: Hashable, Sendable {
        /// The fragment has not come yet.
        case pending
        case fulfilled(Value)
        /// The server could not give the fragment; the messages are those of its errors.
        case failed([String])
        /// The fragment's type condition does not hold for the object.
        case notExecuted
    }

    public var projectedValue: State

    /// The fragment; nil unless the state is `fulfilled`. Setting nil makes it pending.
    public var wrappedValue: Value? {
        get { if case .fulfilled(let value) = projectedValue { value } else { nil } }
        set { projectedValue = newValue.map(State.fulfilled) ?? .pending }
    }

    public init(wrappedValue: Value?) {
        projectedValue = wrappedValue.map(State.fulfilled) ?? .pending
    }

    public init(state: State) {
        projectedValue = state
    }
}

extension Deferred.State {
    /// The state with the fragment as another type.
    public func map<Other>(_ transform: (Value) -> Other) -> Deferred<Other>.State {
        switch self {
        case .pending: .pending
        case .fulfilled(let value): .fulfilled(transform(value))
        case .failed(let messages): .failed(messages)
        case .notExecuted: .notExecuted
        }
    }
}

/// A deferred fragment that failed: the place of its object, its label, and the messages of its errors.
public struct DeferredFailure: Hashable, Sendable {
    public var path: [SelectionPathElement]
    /// The label of the fragment; nil for a fragment without one.
    public var label: String?
    public var messages: [String]

    public init(path: [SelectionPathElement], label: String?, messages: [String]) {
        self.path = path
        self.label = label
        self.messages = messages
    }
}
