import HTTPTypes

/// Decides whether a request may be performed, before any of it takes effect.
///
/// - Source: Protocol/serving.md, security; docs/threat-model.md.
struct RequestCheck: Sendable {
    var hosts: ServedHosts
    var token: AccessToken
    var isReadOnly: Bool
    /// True if the server has scopes. Their paths are not there otherwise.
    var servesScopes = false

    /// A request that passed the check.
    struct Passed: Hashable, Sendable {
        var route: ServerRoute
        /// The `Origin` that may read the response; nil for the server's own pages and for programs.
        var allowedOrigin: String?
        /// True for a CORS preflight.
        var isPreflight = false
    }

    /// Checks host, origin, site, token, path and method, in that order.
    ///
    /// - Throws: ``Refusal`` for the first check that fails.
    func check(_ head: HTTPRequest) throws(Refusal) -> Passed {
        let host = try checkHost(head)
        let origin = try checkOrigin(head, host)
        let route = ServerRoute(path: head.path ?? "").flatMap { $0.isScope && !servesScopes ? nil : $0 }
        let isAllowedOrigin = origin.map { hosts.allows(origin: $0) } ?? false
        if head.method == .options, isAllowedOrigin, head.headerFields[.accessControlRequestMethod] != nil, let route {
            return Passed(route: route, allowedOrigin: origin, isPreflight: true)
        }
        let changes = head.method != .get && head.method != .head
        if changes, !isAllowedOrigin {
            let site = head.headerFields[values: .secFetchSite]
            guard site.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
                throw Refusal(
                    .forbidden, "a page of another site must not send this request: use --allow-origin for it")
            }
        }
        if !(route?.isOpen ?? false) { try checkToken(head) }
        guard let route else {
            throw Refusal(.notFound, "there is no such path: the paths are listed in Protocol/serving.md")
        }
        guard route.methods.contains(head.method) else {
            let allow = route.methods.map(\.rawValue).joined(separator: ", ")
            throw Refusal(.methodNotAllowed, "the path does not have this method: use \(allow)", allow: allow)
        }
        if isReadOnly, !route.isForReaders {
            throw Refusal(.readOnly, "this server only reads: ask the one that writes the database")
        }
        return Passed(route: route, allowedOrigin: isAllowedOrigin ? origin : nil)
    }

    private func checkHost(_ head: HTTPRequest) throws(Refusal) -> String {
        guard let host = head.authority, !host.isEmpty else {
            throw Refusal(.badRequest, "the request has no Host: send the address of this server")
        }
        guard head.path?.utf8.first == UInt8(ascii: "/") else {
            throw Refusal(.badRequest, "the target is not a path: send it from the first / on")
        }
        guard hosts.serves(host) else {
            throw Refusal(.unknownHost, "this server is not known under that Host: use the address that it printed")
        }
        return host
    }

    private func checkOrigin(_ head: HTTPRequest, _ host: String) throws(Refusal) -> String? {
        let origins = head.headerFields[values: .origin]
        guard let origin = origins.first else { return nil }
        guard origins.count == 1, hosts.allows(origin: origin) || hosts.isOwn(origin: origin, host: host) else {
            throw Refusal(.forbidden, "pages of that Origin are not allowed: use --allow-origin for it")
        }
        return origin
    }

    private func checkToken(_ head: HTTPRequest) throws(Refusal) {
        let fields = head.headerFields[values: .authorization]
        let scheme = "bearer "
        guard fields.count == 1, let field = fields.first, field.prefix(scheme.count).lowercased() == scheme,
            token.matches(field.utf8.dropFirst(scheme.utf8.count))
        else {
            throw Refusal(.unauthorized, "send the token of the token file as Authorization: Bearer")
        }
    }
}

extension HTTPField.Name {
    static let secFetchSite = named("Sec-Fetch-Site")
    static let tidemarkStream = named("Tidemark-Stream")
    static let lastEventID = named("Last-Event-ID")
    static let acceleratorBuffering = named("X-Accel-Buffering")
    static let contentDisposition = named("Content-Disposition")
    static let frameOptions = named("X-Frame-Options")
    static let referrerPolicy = named("Referrer-Policy")
    static let resourcePolicy = named("Cross-Origin-Resource-Policy")

    private static func named(_ text: String) -> HTTPField.Name {
        // Unreachable: the names above are valid tokens.
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no name of a field") }
        return name
    }
}
