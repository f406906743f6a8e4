/// The names under which a server may be asked.
///
/// A page that a foreign name leads to this machine (DNS rebinding) sends that name as its `Host`: it is not among
/// these.
struct ServedHosts: Hashable, Sendable {
    /// The accepted values of `Host`, in lower case.
    private let names: Set<String>
    /// The port, when every address of this machine is served; nil otherwise.
    private let anyAddressPort: Int?
    /// The origins of pages of other servers that are allowed, in lower case.
    private let allowedOrigins: Set<String>
    /// The schemes under which the server's own pages are loaded.
    private let schemes: [String]

    /// - Parameters:
    ///   - host: The address that is listened on.
    ///   - allowedOrigins: The origins of `--allow-origin`; their hosts are served too, for a proxy in front.
    ///   - isEncrypted: Whether the port speaks TLS; nil: a program's own server decides, so both may be.
    init(host: String, port: Int, allowedOrigins: [String], isEncrypted: Bool?) {
        schemes = isEncrypted.map { [$0 ? "https" : "http"] } ?? ["http", "https"]
        let isLoopback = ServedHosts.isLoopback(host)
        var hosts = [host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host]
        if isLoopback { hosts += ["localhost", "127.0.0.1", "[::1]"] }
        var names = Set(hosts.map { "\($0.lowercased()):\(port)" })
        if port == 80 { names.formUnion(hosts.map { $0.lowercased() }) }
        let origins = Set(allowedOrigins.map { $0.lowercased() })
        for origin in origins {
            guard let colon = origin.utf8.firstIndex(of: UInt8(ascii: ":")) else { continue }
            names.insert(String(origin[colon...].dropFirst(3)))
        }
        self.names = names
        self.allowedOrigins = origins
        anyAddressPort = host == "0.0.0.0" || host == "::" || host == "[::]" ? port : nil
    }

    /// Tells whether an address is this machine's own.
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host == "[::1]" || isAddress(host) && host.hasPrefix("127.")
    }

    /// Tells whether a `Host` is served.
    func serves(_ host: String) -> Bool {
        let host = host.lowercased()
        if names.contains(host) { return true }
        guard let anyAddressPort, host.hasSuffix(":\(anyAddressPort)") else { return false }
        // No name leads to an address that is written as one, so such a `Host` cannot be rebound.
        return ServedHosts.isAddress(String(host.dropLast(String(anyAddressPort).utf8.count + 1)))
    }

    /// Tells whether an `Origin` is that of another server, and was allowed.
    func allows(origin: String) -> Bool { allowedOrigins.contains(origin.lowercased()) }

    /// Tells whether an `Origin` is that of the page of this server. A page of another scheme at the same address came
    /// from another server, or was put there by somebody between.
    ///
    /// - Parameter host: The `Host` of the request, which is served.
    func isOwn(origin: String, host: String) -> Bool {
        schemes.contains { origin.lowercased() == "\($0)://\(host.lowercased())" }
    }

    private static func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("["), host.hasSuffix("]") {
            return host.dropFirst().dropLast().utf8.allSatisfy {
                $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0)
                    || (0x61...0x66).contains($0)
            }
        }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
