import TidemarkModel

/// Makes the names that clients see, so that nobody can compute one from guessed parameters.
///
/// The module has no cryptography of its own: the caller gives HMAC-SHA-256 with the secret beside the database, which
/// replicas share.
package struct ScopeSecret: Sendable {
    /// HMAC-SHA-256 of a message: 32 bytes.
    private let mac: @Sendable ([UInt8]) -> [UInt8]

    /// Creates a secret.
    ///
    /// - Parameter mac: Returns HMAC-SHA-256 of a message with the secret key: 32 bytes, always the same for the same
    ///   message.
    package init(mac: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.mac = mac
    }

    /// The library id of a scope with certain parameters.
    package func libraryID(of name: ByteString, _ parameters: ScopeParameters) -> ByteString {
        ByteString("scope-" + ScopeSecret.hex(code("library", [name.bytes, parameters.canonical]).prefix(16)))
    }

    /// The code of a message.
    ///
    /// - Parameters:
    ///   - purpose: What the code is for. Codes for different purposes have nothing in common.
    ///   - parts: The message. Each part is written with its length, so that no two lists are one message.
    func code(_ purpose: String, _ parts: [[UInt8]]) -> [UInt8] {
        var message: [UInt8] = []
        for part in [Array(purpose.utf8)] + parts {
            message += ScopeSecret.bytes(UInt64(part.count)) + part
        }
        let code = mac(message)
        precondition(code.count >= 32, "an HMAC of \(code.count) bytes was given, 32 are needed")
        return code
    }

    static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
