import TidemarkModel

@testable import TidemarkScopes

extension ScopeSecret {
    /// A stand-in for HMAC-SHA-256: the module takes the function from its caller.
    static func test(_ key: UInt8 = 7) -> ScopeSecret {
        ScopeSecret { message in
            (0..<4).flatMap { part -> [UInt8] in
                let seed = UInt64(key) << 8 | UInt64(part)
                return ScopeSecret.bytes(message.withUnsafeBytes { Checksum.xxh64($0, seed: seed) })
            }
        }
    }
}
