/// Why a request for a scope is refused. Its text has nothing of any entity, claim or rule, only of the request itself.
///
/// - Source: docs/threat-model.md, scopes.
package enum ScopeRequestError: Error, Hashable, Sendable {
    /// There is no scope of this name.
    case notFound
    /// A parameter from the address is wrong; the text says which and what to write.
    case badRequest(String)
    /// The token does not open the scope: a claim is missing or has no usable value, or `require` does not hold.
    /// Which of these is not told.
    case forbidden
    /// As many scopes as are allowed are held.
    case tooMany

    /// The status of the answer over HTTP.
    package var status: Int {
        switch self {
        case .notFound: 404
        case .badRequest: 400
        case .forbidden: 403
        case .tooMany: 429
        }
    }

    /// The text of the answer.
    package var message: String {
        switch self {
        case .notFound: "no such scope"
        case .badRequest(let what): what
        case .forbidden: "forbidden"
        case .tooMany: "too many scopes are in use; try again later"
        }
    }
}
