import JWTKit
import TidemarkModel
import TidemarkServer

/// One key, for one algorithm: its type decides which, never the token.
struct TokenKey: Sendable {
    let id: ScopeKeyID
    let algorithm: TokenAlgorithm
    /// The only length that a signature can have.
    let signatureByteCount: Int
    private let verifier: any JWTAlgorithm

    /// Creates a key.
    ///
    /// - Parameter name: `kid`.
    /// - Throws: An error of the library if the value is no key: a point that is not on the curve, a modulus that is
    ///   none.
    init(_ value: KeyValue, name: ByteString?) async throws {
        id = ScopeKeyID(name: name, digest: value.digest)
        let collection = JWTKeyCollection()
        switch value {
        case .secret(let bytes):
            (algorithm, signatureByteCount) = (.hs256, 32)
            await collection.add(hmac: HMACKey(from: bytes), digestAlgorithm: .sha256)
        case .rsa(let modulus, let exponent):
            (algorithm, signatureByteCount) = (.rs256, modulus.count)
            let key = try Insecure.RSA.PublicKey(
                modulus: Base64URL.encoded(modulus), exponent: Base64URL.encoded(exponent))
            await collection.add(rsa: key, digestAlgorithm: .sha256)
        case .point(let x, let y):
            (algorithm, signatureByteCount) = (.es256, 64)
            let key = try ES256PublicKey(parameters: (Base64URL.encoded(x), Base64URL.encoded(y)))
            await collection.add(ecdsa: key)
        case .ed25519(let x):
            (algorithm, signatureByteCount) = (.edDSA, 64)
            await collection.add(eddsa: try EdDSA.PublicKey(x: Base64URL.encoded(x), curve: .ed25519))
        }
        verifier = try await collection.getKey()
    }

    /// Returns true if the key made a signature of a text.
    func verifies(_ signature: [UInt8], of text: ArraySlice<UInt8>) -> Bool {
        guard signature.count == signatureByteCount else { return false }
        do {
            return try verifier.verify(signature, signs: text)
        } catch {
            // The library refuses what cannot be a signature, such as numbers outside the group.
            return false
        }
    }
}
