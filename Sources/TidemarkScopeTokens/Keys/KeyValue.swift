import TidemarkModel

/// The value of a key whose sizes were checked.
enum KeyValue: Hashable {
    /// A secret of at least 32 bytes.
    case secret([UInt8])
    /// An RSA key: modulus and exponent without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// A point of P-256, 32 bytes each.
    case point(x: [UInt8], y: [UInt8])
    /// A public key of Ed25519, 32 bytes.
    case ed25519([UInt8])

    /// A digest that is equal for equal keys alone. It stays in memory; of a secret it reveals nothing.
    var digest: [UInt8] {
        let parts: [[UInt8]] =
            switch self {
            case .secret(let bytes): [[0], bytes]
            case .rsa(let modulus, let exponent): [[1], modulus, exponent]
            case .point(let x, let y): [[2], x, y]
            case .ed25519(let x): [[3], x]
            }
        // The exponent is the last part, so that no two keys are one message.
        return SHA256Digest(of: parts.flatMap(\.self) + [UInt8(truncatingIfNeeded: parts.last?.count ?? 0)]).bytes
    }
}
