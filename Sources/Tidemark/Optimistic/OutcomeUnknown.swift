/// A request whose outcome nobody knows: it was sent, and no answer came that says whether the server did it.
///
/// Thrown by a request that an optimistic edit waits for, it leaves the edit pending: the event settles it, or the program
/// sends it again, or rolls it back.
public struct OutcomeUnknown: Error, CustomStringConvertible {
    /// What went wrong.
    public var underlying: any Error

    public init(_ underlying: any Error) {
        self.underlying = underlying
    }

    public var description: String { "the outcome is unknown: \(underlying)" }
}
