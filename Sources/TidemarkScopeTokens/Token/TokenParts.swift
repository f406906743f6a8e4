import TidemarkServer

/// The three parts of a token in compact form, none of which is trusted yet.
///
/// - Source: RFC 7515, section 7.1.
struct TokenParts {
    /// The JSON of the header.
    let header: [UInt8]
    /// The claims as they are written: base64url, decoded only behind a verified signature.
    let encodedClaims: ArraySlice<UInt8>
    /// The signature's bytes.
    let signature: [UInt8]
    /// What was signed: header and claims as they are written, with the dot between them.
    let signedText: ArraySlice<UInt8>

    /// Splits a token.
    ///
    /// - Throws: ``ScopeTokenError`` `.malformed` unless there are three parts, none of them empty, with header and
    ///   signature in base64url.
    init(_ token: [UInt8]) throws(ScopeTokenError) {
        let parts = token.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }), let header = Base64URL.decoded(parts[0]),
            let signature = Base64URL.decoded(parts[2])
        else { throw .malformed }
        self.header = header
        self.signature = signature
        encodedClaims = parts[1]
        signedText = token[..<parts[1].endIndex]
    }
}
