public import TidemarkModel

/// How a feed stands with its server.
public enum ScopeStatus: Hashable, Sendable {
    /// The feed asks for the stream.
    case connecting
    /// Lines arrive. Whether the library is up to date, its ``/TidemarkModel/LibraryPhase`` says.
    case following(library: ByteString)
    /// The stream ended, or there is none; the feed asks again after a pause.
    case waiting(reason: String, milliseconds: Int64)
    /// The token does not allow the scope. What the scope showed is gone; the feed asks again at the longest pause.
    case forbidden
    /// The server has no such scope. What it showed stays; the feed asks again at the longest pause.
    case notFound
}
