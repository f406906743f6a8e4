/// The `Host` values and origins that a server accepts.
///
/// In a DNS rebinding attack a foreign name resolves to this machine, and the browser sends that name as `Host`. It is
/// not among these values, so the request is refused.
struct ServedHosts: Hashable, Sendable {
    /// The accepted values of `Host`, in lower case.
    private let names: Set<String>
    /// The port if the server listens on every address of this machine; nil otherwise.
    private let anyAddressPort: Int?
    /// The allowed origins of other servers' pages, in lower case.
    private let allowedOrigins: Set<String>
    /// The URL schemes of the server's own pages.
    private let schemes: [String]

    /// Lists the hosts and origins that requests may name.
    ///
    /// - Parameters:
    ///   - host: The address that the server listens on.
    ///   - allowedOrigins: The origins of `--allow-origin`. Their hosts are accepted too, for a proxy in front.
    ///   - isEncrypted: True if the port uses TLS; nil if a program's own server decides, so both are possible.
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

    /// Returns true for a loopback address or `localhost`.
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host == "[::1]" || isAddress(host) && host.hasPrefix("127.")
    }

    /// Returns true if the server accepts this `Host`.
    func serves(_ host: String) -> Bool {
        let host = host.lowercased()
        if names.contains(host) { return true }
        guard let anyAddressPort, host.hasSuffix(":\(anyAddressPort)") else { return false }
        // A literal IP address is not resolved by DNS, so such a `Host` cannot be rebound.
        return ServedHosts.isAddress(String(host.dropLast(String(anyAddressPort).utf8.count + 1)))
    }

    /// Returns true if `origin` is another server's and is on the allow list.
    func allows(origin: String) -> Bool { allowedOrigins.contains(origin.lowercased()) }

    /// Returns true if `origin` is this server's own page. At the same address under another scheme, a page is from
    /// another server or was injected in transit.
    ///
    /// - Parameter host: The `Host` of the request, already accepted.
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
