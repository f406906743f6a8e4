import TidemarkModel
import TidemarkScopes

/// A request for a scope by somebody whose token was checked.
package struct ScopeRequest: Sendable {
    /// The name of the scope.
    package let name: ByteString
    /// Who asks: limits, epochs and edits belong to it.
    package let subject: ByteString
    /// The claims: one JSON object without repeated members.
    package let claims: [UInt8]
    /// The parameters in the address, decoded, without `after` and `epoch`.
    package let address: [(name: ByteString, value: ByteString)]

    /// Creates a request.
    package init(
        name: ByteString, subject: ByteString, claims: [UInt8], address: [(name: ByteString, value: ByteString)]
    ) {
        self.name = name
        self.subject = subject
        self.claims = claims
        self.address = address
    }
}

/// Why a request for a scope is refused.
package enum ScopeRefusal: Error, Hashable, Sendable {
    /// The request itself, or what the requester may do.
    case request(ScopeRequestError)
    /// The requester has too many streams, or all together have.
    case tooManyStreams
    /// The file cannot be read now.
    case unavailable(String)
    /// The number cannot be served any more, in the epoch that was named.
    case epochOver
}
