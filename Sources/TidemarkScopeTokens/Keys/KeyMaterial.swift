import TidemarkViews

/// Reads the value of one key of a JWK Set.
///
/// - Source: RFC 7518, section 6; RFC 8037, section 2.
struct KeyMaterial {
    let node: RuleNode
    /// The JSON Pointer to the key.
    let place: String

    private static let secretByteCountMin = 32
    private static let modulusBitCountMin = 2_048
    /// A larger modulus makes every check slow, which anybody can ask for.
    private static let modulusBitCountMax = 8_192

    /// Returns the value and the algorithm that the key is for.
    ///
    /// - Parameter type: `kty`.
    /// - Throws: ``TokenKeyError`` for other types and curves, and for sizes that are too small.
    func value(type: String) throws(TokenKeyError) -> (KeyValue, TokenAlgorithm) {
        switch type {
        case "oct": return (try secret(), .hs256)
        case "RSA": return (try rsa(), .rs256)
        case "EC":
            try checkCurve("P-256", for: type)
            return (.point(x: try bytes("x", count: 32), y: try bytes("y", count: 32)), .es256)
        case "OKP":
            try checkCurve("Ed25519", for: type)
            return (.ed25519(try bytes("x", count: 32)), .edDSA)
        default: throw TokenKeyError("\(place)/kty", "is not a known type of key; write oct, RSA, EC or OKP")
        }
    }

    private func secret() throws(TokenKeyError) -> KeyValue {
        let secret = try bytes("k")
        guard secret.count >= KeyMaterial.secretByteCountMin else {
            throw TokenKeyError(
                "\(place)/k",
                "has \(secret.count) bytes, which can be guessed; use at least"
                    + " \(KeyMaterial.secretByteCountMin) random ones")
        }
        return .secret(secret)
    }

    private func rsa() throws(TokenKeyError) -> KeyValue {
        let modulus = Array(try bytes("n").drop { $0 == 0 })
        let exponent = Array(try bytes("e").drop { $0 == 0 })
        let bitCount = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard KeyMaterial.modulusBitCountMin...KeyMaterial.modulusBitCountMax ~= bitCount else {
            throw TokenKeyError(
                "\(place)/n",
                "has \(bitCount) bits; use a key of \(KeyMaterial.modulusBitCountMin) to"
                    + " \(KeyMaterial.modulusBitCountMax)")
        }
        guard let last = exponent.last, last & 1 == 1, exponent != [1], exponent.count <= 4 else {
            throw TokenKeyError("\(place)/e", "is not the exponent of an RSA key; the usual one is AQAB")
        }
        return .rsa(modulus: modulus, exponent: exponent)
    }

    private func checkCurve(_ curve: String, for type: String) throws(TokenKeyError) {
        guard try KeyFileParser.text("crv", of: node, at: place) == curve else {
            throw TokenKeyError("\(place)/crv", "is not \(curve), the only curve here for a key of type \(type)")
        }
    }

    private func bytes(_ name: String, count: Int) throws(TokenKeyError) -> [UInt8] {
        let bytes = try bytes(name)
        guard bytes.count == count else {
            throw TokenKeyError("\(place)/\(name)", "has \(bytes.count) bytes, not \(count)")
        }
        return bytes
    }

    private func bytes(_ name: String) throws(TokenKeyError) -> [UInt8] {
        guard let text = try KeyFileParser.text(name, of: node, at: place) else {
            throw TokenKeyError("\(place)/\(name)", "is missing; write it in base64url")
        }
        guard let bytes = Base64URL.decoded(Array(text.utf8)) else {
            throw TokenKeyError("\(place)/\(name)", "is not base64url without padding")
        }
        return bytes
    }
}
