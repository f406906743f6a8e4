import TidemarkModel
import TidemarkServer

/// What a token's header says about its signature. An attacker chooses every byte of it.
///
/// Nothing else in a header is used: keys and addresses of keys in it (`jwk`, `jku`, `x5c`, `x5u`) are ignored.
///
/// - Source: RFC 7515, section 4.1; RFC 8725.
struct TokenHeader {
    let algorithm: TokenAlgorithm
    /// The name of the key; nil without one.
    let keyName: ByteString?

    /// The kinds of tokens, in lower case, that open scopes. A logout token or a proof is signed by the same keys.
    private static let types: Set<String> = ["jwt", "at+jwt", "application/jwt", "application/at+jwt"]

    /// Parses a header.
    ///
    /// - Throws: ``ScopeTokenError`` `.malformed`, or `.unsupported` for other algorithms, for `none`, for another
    ///   `typ`, and for extensions.
    init(_ json: [UInt8]) throws(ScopeTokenError) {
        let header = try TokenObject(json)
        guard let name = try header.string("alg") else { throw .malformed }
        keyName = try header.string("kid")
        // An extension in `crit` has to be understood, and none is. `b64` changes what was signed.
        guard header.value("crit") == nil, header.value("b64") == nil,
            let algorithm = TokenAlgorithm(rawValue: name.description), name == ByteString(algorithm.rawValue)
        else { throw .unsupported }
        if let type = try header.string("typ") {
            guard TokenHeader.types.contains(type.description.lowercased()) else { throw .unsupported }
        }
        self.algorithm = algorithm
    }
}
