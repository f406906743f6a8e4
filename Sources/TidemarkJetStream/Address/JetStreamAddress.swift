import TidemarkModel

/// The address of a JetStream stream, with the servers, the credentials, and the libraries to read.
///
/// The form is
/// `nats://[user:password@|token@]host:port[,host:port…]/STREAM[?prefix=…&libraries=a,b|shard=i/n&creds=FILE&tls=…]`.
/// Values are percent-encoded; a server without a port gets 4222. `description` contains no credentials.
///
/// ```swift
/// let address = try JetStreamAddress("nats://a:4222,b:4222/EVENTS?libraries=photos,music")
/// print(address.servers, address.stream, address.subject(of: "photos"))
/// ```
///
/// - Source: Protocol/jetstream.md, addresses.
public struct JetStreamAddress: Hashable, Sendable, CustomStringConvertible {
    /// The servers as `host:port`, 1 to 64 when parsed; tried in turn until one responds.
    public var servers: [String]
    /// The user name; nil when the address has none.
    public var user: String?
    /// The password of `user`; nil when the address has none.
    public var password: String?
    /// The authentication token, which replaces a user and a password; nil when the address has none.
    public var token: String?
    /// The name of the stream.
    public var stream: String
    /// The part of every subject before the library's token, without the dot between them. `tidemark` by default.
    public var prefix: String
    /// The libraries that this process reads. All by default.
    public var scope: LibraryScope
    /// The path of a file with a user's JWT and seed; nil when the address has none.
    public var credentialsFile: String?
    /// The user's public NKEY; nil when the address has none. It needs `seedFile`.
    public var nkey: String?
    /// The path of a file with the seed of `nkey`; nil exactly when `nkey` is nil.
    public var seedFile: String?
    /// How the connection is encrypted.
    public var tls: TLS

    /// How the connection is encrypted, and which certificates are used.
    public struct TLS: Hashable, Sendable {
        /// True if only an encrypted connection is accepted: with `tls://`, `tls=true` or any `tls-…` option.
        public var isRequired = false
        /// The path of a file with certificate authorities to trust in place of the system's; nil uses the system's.
        public var authorityFile: String?
        /// The path of the client certificate, for a server that verifies clients; nil sends none.
        public var certificateFile: String?
        /// The path of the private key of `certificateFile`; nil exactly when that is nil.
        public var keyFile: String?
    }

    /// The most libraries that the `libraries` option may name: 1,000.
    public static let libraryCountMax = 1_000
    private static let serverCountMax = 64

    /// Parses an address. No file that it names is read.
    ///
    /// - Throws: ``JetStreamError`` `.badAddress`, whose message says what is wrong and contains no credentials.
    public init(_ text: String) throws(JetStreamError) {
        let scheme = ["nats://", "tls://"].first { text.hasPrefix($0) }
        guard let scheme else { throw JetStreamAddress.error("it does not begin with nats:// or tls://") }
        tls = TLS()
        tls.isRequired = scheme == "tls://"
        var rest = text.dropFirst(scheme.count)
        var query: Substring?
        if let mark = rest.firstIndex(of: "?") {
            query = rest[rest.index(after: mark)...]
            rest = rest[..<mark]
        }
        guard let slash = rest.firstIndex(of: "/") else {
            throw JetStreamAddress.error("it names no stream: nats://host:port/STREAM")
        }
        stream = try JetStreamAddress.decoded(rest[rest.index(after: slash)...], "the stream")
        guard !stream.isEmpty, stream.utf8.allSatisfy({ JetStreamAddress.isNameByte($0) }) else {
            throw JetStreamAddress.error("the stream's name is empty, or has a dot, a star, a space or another sign")
        }
        var authority = rest[..<slash]
        if let at = authority.lastIndex(of: "@") {
            let login = authority[..<at]
            authority = authority[authority.index(after: at)...]
            if let colon = login.firstIndex(of: ":") {
                user = try JetStreamAddress.decoded(login[..<colon], "the user")
                password = try JetStreamAddress.decoded(login[login.index(after: colon)...], "the password")
            } else {
                token = try JetStreamAddress.decoded(login, "the token")
            }
        }
        servers = []
        for server in authority.split(separator: ",", omittingEmptySubsequences: false) {
            servers.append(try JetStreamAddress.server(server))
        }
        guard servers.count <= JetStreamAddress.serverCountMax else {
            throw JetStreamAddress.error("it has more than \(JetStreamAddress.serverCountMax) servers")
        }
        prefix = "tidemark"
        scope = .all
        for option in (query ?? "").split(separator: "&") { try apply(option) }
        guard (nkey == nil) == (seedFile == nil) else {
            throw JetStreamAddress.error("nkey needs seed, and seed needs nkey: nkey=U…&seed=FILE")
        }
        guard (tls.certificateFile == nil) == (tls.keyFile == nil) else {
            throw JetStreamAddress.error("tls-cert needs tls-key, and tls-key needs tls-cert")
        }
    }

    private mutating func apply(_ option: Substring) throws(JetStreamError) {
        guard let equals = option.firstIndex(of: "=") else {
            throw JetStreamAddress.error("\(option) has no value: name=value")
        }
        let name = option[..<equals]
        let encoded = option[option.index(after: equals)...]
        let value = try JetStreamAddress.decoded(encoded, String(name))
        switch name {
        case "prefix":
            guard JetStreamAddress.isSubject(value) else {
                throw JetStreamAddress.error("prefix is no subject: \(value)")
            }
            prefix = value
        case "libraries":
            guard scope == .all else { throw JetStreamAddress.error("libraries and shard exclude each other") }
            var names: [ByteString] = []
            // An id may have a comma, which is then percent-encoded.
            for part in encoded.split(separator: ",", omittingEmptySubsequences: false) {
                names.append(ByteString(try JetStreamAddress.decoded(part, "libraries")))
            }
            guard names.count <= JetStreamAddress.libraryCountMax else {
                throw JetStreamAddress.error("libraries has more than \(JetStreamAddress.libraryCountMax) names")
            }
            scope = .named(names)
        case "shard":
            guard scope == .all else { throw JetStreamAddress.error("libraries and shard exclude each other") }
            let parts = value.split(separator: "/", omittingEmptySubsequences: false).map { UInt64($0) }
            guard parts.count == 2, let index = parts[0], let count = parts[1], index < count else {
                throw JetStreamAddress.error("shard is i/n with i from 0 to n-1, not \(value)")
            }
            scope = .shard(index: index, count: count)
        case "creds": credentialsFile = value
        case "nkey": nkey = value
        case "seed": seedFile = value
        case "tls":
            guard value == "true" || value == "false" else {
                throw JetStreamAddress.error("tls is true or false, not \(value)")
            }
            tls.isRequired = tls.isRequired || value == "true"
        case "tls-ca": tls.authorityFile = value
        case "tls-cert": tls.certificateFile = value
        case "tls-key": tls.keyFile = value
        default:
            throw JetStreamAddress.error(
                "\(name) is unknown: prefix, libraries, shard, creds, nkey, seed, tls, tls-ca, tls-cert and tls-key are known"
            )
        }
        if name.hasPrefix("tls-") { tls.isRequired = true }
    }

    /// The servers and the stream, without credentials and options.
    public var description: String { "nats://\(servers.joined(separator: ","))/\(stream)" }

    /// Returns the subject under which a library's messages are published: `prefix`, a dot, and the library's token.
    public func subject(of library: ByteString) -> String { LibrarySubject.subject(prefix: prefix, library) }

    /// The subject filter of a reader's consumer: one library's subject, or a wildcard for all libraries.
    var filter: String {
        if case .named(let names) = scope, names.count == 1, let name = names.first { return subject(of: name) }
        return "\(prefix).*"
    }

    private static func server(_ text: Substring) throws(JetStreamError) -> String {
        guard !text.isEmpty else { throw error("a server's name is empty: nats://host:port/STREAM") }
        guard text.utf8.allSatisfy({ isServerByte($0) }) else {
            throw error("a server's name has a sign that none has")
        }
        let afterBracket = text.lastIndex(of: "]").map { text[$0...] } ?? text
        guard let colon = afterBracket.lastIndex(of: ":") else { return "\(text):4222" }
        guard let port = UInt16(afterBracket[afterBracket.index(after: colon)...]), port > 0 else {
            throw error("a server's port is not a number from 1 to 65535")
        }
        return String(text)
    }

    private static func decoded(_ text: Substring, _ place: String) throws(JetStreamError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                throw error("\(place) has a percent sign without two hexadecimal digits")
            }
            bytes.append(high << 4 | low)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self), !decoded.utf8.contains(0) else {
            throw error("\(place) is not UTF-8, or has a NUL")
        }
        return decoded
    }

    private static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// True if a stream's name may contain the byte.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !".*>/\\\"".utf8.contains(byte)
    }

    private static func isServerByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: ".-_:[]%".utf8.contains(byte)
        }
    }

    /// True if the text is a valid subject without wildcards.
    private static func isSubject(_ text: String) -> Bool {
        let tokens = text.split(separator: ".", omittingEmptySubsequences: false)
        return !tokens.isEmpty
            && tokens.allSatisfy {
                !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"*>\"\\".utf8.contains($0) }
            }
    }

    private static func error(_ text: String) -> JetStreamError {
        JetStreamError(
            .badAddress, "the address of the stream cannot be used: \(text)",
            advice: "write it as nats://host:4222/STREAM?prefix=tidemark")
    }
}
