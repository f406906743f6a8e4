import TidemarkServer

/// A token that has to be refused, and how.
struct HostileToken: Sendable {
    let name: String
    let token: String
    let error: ScopeTokenError

    init(_ name: String, _ token: String, _ error: ScopeTokenError = .malformed) {
        self.name = name
        self.token = token
        self.error = error
    }

    /// Every hostile token.
    static func all(_ forge: TokenForge) throws -> [HostileToken] {
        try forms(forge) + headers(forge) + keyNames(forge) + signatures(forge) + claims(forge) + times(forge)
    }
}
