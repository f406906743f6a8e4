/// A request was sent, and it is unknown whether the server performed it.
///
/// ```swift
/// try await cache.optimistically { changes in
///     try changes.patch(type: "photo", id: "1", ["name": "Open sea"])
/// } perform: { edit in
///     // The connection broke after the request had left.
///     throw OutcomeUnknownError(UpstreamError("the connection broke"))
/// }
/// ```
///
/// When `perform` throws this error the edit stays pending. Its event settles it, or the program sends it again or
/// rolls it back.
public struct OutcomeUnknownError: Error, CustomStringConvertible {
    /// The error that interrupted the request.
    public var underlying: any Error

    /// Makes an error of the one that interrupted the request.
    public init(_ underlying: any Error) {
        self.underlying = underlying
    }

    /// The error as one line.
    public var description: String { "the outcome is unknown: \(underlying)" }
}
