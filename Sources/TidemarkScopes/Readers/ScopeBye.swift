/// Why a stream of a scope ends. Over SSE it is an event `bye`, otherwise a last line.
///
/// - Source: Protocol/scopes.md, the end of a stream.
package enum ScopeBye: String, Hashable, Sendable {
    /// `require` does not hold any more. Everything has left.
    case forbidden
    /// The scope is not in the file any more. Everything has left.
    case notFound = "not_found"
    /// The token ended. Nothing leaves.
    case tokenExpired = "token_expired"
    /// The key of the token is gone. Nothing leaves.
    case tokenRevoked = "token_revoked"
    /// The server stops. Nothing leaves.
    case shuttingDown = "shutting_down"

    /// The line, without its end.
    package var line: [UInt8] { Array(#"{"bye":{"reason":"\#(rawValue)"}}"#.utf8) }
}
