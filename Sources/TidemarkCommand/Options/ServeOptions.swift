import ArgumentParser
import Logging
import TidemarkModel

/// Options for a server's port, limits and access.
struct ServeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The address and port to listen on; port 0 takes a free one.", valueName: "host:port"))
    var listen = "127.0.0.1:7420"
    @Option(
        help: ArgumentHelp(
            "The file with the secret that requests have to show; made when it is not there. Default: the database's name with .token.",
            valueName: "file"))
    var tokenFile: String?
    @Flag(
        help: """
            Listen on an address that other machines reach. Pass --tls-cert and --tls-key with it, or put TLS in front: \
            the token would be readable.
            """)
    var allowRemote = false
    @Option(
        name: .customLong("tls-cert"),
        help: ArgumentHelp("The server's certificate in PEM, with those above it.", valueName: "file"))
    var certificatePath: String?
    @Option(
        name: .customLong("tls-key"),
        help: ArgumentHelp("Its private key in PEM, in a file that others cannot read.", valueName: "file"))
    var keyPath: String?
    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            "The origin of another server's pages that may use this one, such as https://app.example. May be given several times.",
            valueName: "origin"))
    var allowedOrigins: [String] = []
    @Flag(help: "Only read, beside the process that writes the database.")
    var readOnly = false
    @Option(
        name: .customLong("max-connections"),
        help: ArgumentHelp(
            "The connections at a time. Default: 1000, and 10000 more with --scopes.", valueName: "n"))
    var connectionCountMax: Int?
    @Option(
        name: .customLong("max-streams"), help: ArgumentHelp("The streams of notifications at a time.", valueName: "n"))
    var streamCountMax = 100
    @Option(
        name: .customLong("max-subscriptions"),
        help: ArgumentHelp("The observers of all streams at a time.", valueName: "n"))
    var subscriptionCountMax = 10_000
    @Option(
        name: .customLong("max-head-kb"),
        help: ArgumentHelp("The size of a request's line and fields, in KB.", valueName: "kb"))
    var headLimit = 16
    @Option(
        name: .customLong("head-timeout"),
        help: ArgumentHelp("The time until a request's head is complete.", valueName: "seconds"))
    var headTimeout = 10.0
    @Option(
        name: .customLong("body-timeout"),
        help: ArgumentHelp("The time without a byte of a body that is being read.", valueName: "seconds"))
    var bodyTimeout = 30.0
    @Option(
        name: .customLong("max-line-kb"),
        help: ArgumentHelp("The size of a line of events, and of a message, in KB.", valueName: "kb"))
    var lineLimit = 16_384

    func validate() throws {
        guard let address else {
            throw ValidationError("--listen takes an address and a port such as 127.0.0.1:7420, not '\(listen)'.")
        }
        guard allowRemote || ServeOptions.isLoopback(address.host) else {
            throw ValidationError(
                """
                --listen \(listen) can be reached by other machines: pass --allow-remote with --tls-cert and --tls-key, or \
                put TLS in front.
                """)
        }
        guard (certificatePath == nil) == (keyPath == nil) else {
            throw ValidationError("--tls-cert and --tls-key belong together: pass both, or none.")
        }
        if certificatePath == "" || keyPath == "" {
            throw ValidationError("--tls-cert or --tls-key is empty: pass a file.")
        }
        if tokenFile == "" { throw ValidationError("--token-file is empty: pass a file.") }
        for origin in allowedOrigins where !ServeOptions.isOrigin(origin) {
            throw ValidationError(
                "--allow-origin takes a scheme, a host and perhaps a port, such as https://app.example, not '\(origin)'."
            )
        }
        if let connectionCountMax { try check("--max-connections", connectionCountMax, 1...1_000_000) }
        try check("--max-streams", streamCountMax, 1...1_000_000)
        try check("--max-subscriptions", subscriptionCountMax, 1...1_000_000)
        try check("--max-head-kb", headLimit, 1...1_024)
        try check("--max-line-kb", lineLimit, 1...65_536)
        for (name, seconds) in [("--head-timeout", headTimeout), ("--body-timeout", bodyTimeout)] {
            guard seconds > 0, seconds <= 86_400 else {
                throw ValidationError("\(name) takes more than 0 and at most 86400 seconds, not \(seconds).")
            }
        }
    }

    private func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws {
        guard range.contains(value) else {
            throw ValidationError("\(name) takes \(range.lowerBound) to \(range.upperBound), not \(value).")
        }
    }

    /// The address to listen on; nil if malformed.
    var address: (host: String, port: Int)? {
        guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[colon...].dropFirst()) else { return nil }
        var host = String(listen[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }) else {
            return nil
        }
        return (host, Int(port))
    }

    private var tls: TLSFiles? {
        guard let certificatePath, let keyPath else { return nil }
        return TLSFiles(certificatePath: certificatePath, keyPath: keyPath)
    }

    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1"
            || host.hasPrefix("127.") && host.split(separator: ".").count == 4
                && host.split(separator: ".").allSatisfy { UInt8($0) != nil }
    }

    private static func isOrigin(_ text: String) -> Bool {
        let host = text.hasPrefix("https://") ? text.dropFirst(8) : text.hasPrefix("http://") ? text.dropFirst(7) : ""
        return !host.isEmpty
            && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#@\"\\".utf8.contains($0) }
    }

    private static let connectionCountDefault = 1_000
    /// One connection for each stream that scopes allow at a time.
    private static let scopeConnectionCountDefault = 10_000

    /// Returns the most connections at a time.
    func connectionCount(servesScopes: Bool) -> Int {
        connectionCountMax
            ?? ServeOptions.connectionCountDefault + (servesScopes ? ServeOptions.scopeConnectionCountDefault : 0)
    }

    /// The settings of the server.
    ///
    /// - Parameter scopes: The scopes to deliver; nil for none.
    func settings(databasePath: String, scopes: ScopeServing?, logger: Logger) -> ServingSettings {
        // Unreachable: the options were validated.
        let address = address ?? ("127.0.0.1", 0)
        return ServingSettings(
            databasePath: databasePath, host: address.host, port: address.port,
            tokenPath: tokenFile ?? databasePath + ".token", tls: tls, scopes: scopes, allowedOrigins: allowedOrigins,
            connectionCountMax: connectionCount(servesScopes: scopes != nil), streamCountMax: streamCountMax,
            subscriptionCountMax: subscriptionCountMax, headByteCountMax: headLimit * 1_024,
            headTimeout: .seconds(headTimeout), bodyTimeout: .seconds(bodyTimeout),
            lineByteCountMax: lineLimit * 1_024, logger: logger)
    }
}
