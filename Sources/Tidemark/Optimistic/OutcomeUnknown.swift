/// An error of a request whose outcome is unknown: it was sent, and no answer tells whether the server performed it.
///
/// When a request that an optimistic edit waits for throws this error, the edit stays pending: its event settles it, or
/// the program sends it again, or the program rolls it back.
public struct OutcomeUnknown: Error, CustomStringConvertible {
    /// The error that interrupted the request.
    public var underlying: any Error

    public init(_ underlying: any Error) {
        self.underlying = underlying
    }

    public var description: String { "the outcome is unknown: \(underlying)" }
}
