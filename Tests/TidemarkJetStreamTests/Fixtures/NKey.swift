import Foundation
import Testing
import TidemarkTesting

/// An NKEY: an Ed25519 key whose parts are written in base32 with a prefix for the kind and a CRC-16.
///
/// - Source: docs.nats.io, NKeys and JWT.
struct NKey {
    enum Kind: UInt8 {
        case account = 0
        case operatorKind = 112
        case user = 160
    }

    private let folder: TemporaryFolder
    /// The public key, such as `U…`.
    let name: String
    /// The secret, `S` and the kind.
    let seed: String

    init(_ kind: Kind) throws {
        folder = try TemporaryFolder()
        // Both forms end with the 32 bytes of the key.
        let secret = try OpenSSL.run(["genpkey", "-algorithm", "ed25519", "-outform", "DER"], in: folder)
        try folder.write(Array(secret), to: "key.der")
        try OpenSSL.run(["pkey", "-inform", "DER", "-in", "key.der", "-out", "key.pem"], in: folder)
        let open = try OpenSSL.run(["pkey", "-in", "key.pem", "-pubout", "-outform", "DER"], in: folder)
        name = NKey.text([kind.rawValue] + open.suffix(32))
        let head: UInt8 = 18 << 3
        seed = NKey.text([head | kind.rawValue >> 5, (kind.rawValue & 31) << 3] + secret.suffix(32))
    }

    /// Signs a claim about a key.
    ///
    /// - Parameter claims: The members of `nats`.
    func token(for subject: NKey, named name: String, _ claims: String, expires: Int? = nil) throws -> String {
        let expiry = expires.map { #""exp":\#($0),"# } ?? ""
        let now = Int(Date().timeIntervalSince1970)
        let body =
            #"{"jti":"\#(name)","iat":\#(now),\#(expiry)"iss":"\#(self.name)","name":"\#(name)","sub":"\#(subject.name)","nats":{\#(claims),"version":2}}"#
        let text =
            NKey.base64(Array(#"{"typ":"JWT","alg":"ed25519-nkey"}"#.utf8)) + "." + NKey.base64(Array(body.utf8))
        try folder.write(Array(text.utf8), to: "text")
        let signature = try OpenSSL.run(
            ["pkeyutl", "-sign", "-inkey", "key.pem", "-rawin", "-in", "text"], in: folder)
        return text + "." + NKey.base64(Array(signature))
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// Writes bytes and their checksum in base32.
    private static func text(_ bytes: [UInt8]) -> String {
        var sum: UInt16 = 0
        for byte in bytes {
            sum ^= UInt16(byte) << 8
            for _ in 0..<8 { sum = sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1 }
        }
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var text = ""
        var (bits, count) = (0, 0)
        for byte in bytes + [UInt8(sum & 0xFF), UInt8(sum >> 8)] {
            (bits, count) = (bits << 8 | Int(byte), count + 8)
            while count >= 5 {
                count -= 5
                text.append(alphabet[bits >> count & 31])
            }
            bits &= 1 << count - 1
        }
        if count > 0 { text.append(alphabet[bits << (5 - count) & 31]) }
        return text
    }
}

/// A server's users by signed claims: an operator, its system account, and one account with JetStream.
struct SignedAccounts {
    private let account: NKey
    /// The lines of the server's configuration.
    let configuration: String

    init() throws {
        let head = try NKey(.operatorKind)
        let system = try NKey(.account)
        account = try NKey(.account)
        let limits = #""subs":-1,"data":-1,"payload":-1,"imports":-1,"exports":-1,"wildcards":true,"conn":-1,"leaf":-1"#
        let storage = #""mem_storage":-1,"disk_storage":-1,"streams":-1,"consumer":-1"#
        let operatorToken = try head.token(
            for: head, named: "operator", #""type":"operator","system_account":"\#(system.name)""#)
        let systemToken = try head.token(for: system, named: "SYS", #""type":"account","limits":{\#(limits)}"#)
        let accountToken = try head.token(
            for: account, named: "A", #""type":"account","limits":{\#(limits),\#(storage)}"#)
        configuration = """
            operator: \(operatorToken)
            resolver: MEMORY
            resolver_preload: { \(system.name): \(systemToken), \(account.name): \(accountToken) }
            """
    }

    /// Returns the text of a user's credentials file.
    ///
    /// - Parameter expires: The second since 1970 after which the user is refused.
    func credentials(of user: NKey, expires: Int? = nil) throws -> String {
        let token = try account.token(
            for: user, named: "user", #""subs":-1,"data":-1,"payload":-1,"type":"user""#, expires: expires)
        return """
            -----BEGIN NATS USER JWT-----
            \(token)
            ------END NATS USER JWT------

            -----BEGIN USER NKEY SEED-----
            \(user.seed)
            ------END USER NKEY SEED------

            """
    }
}
