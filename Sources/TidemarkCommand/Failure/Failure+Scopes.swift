import TidemarkScopes

extension Failure {
    /// The failure for a file of scopes that cannot be used.
    static func badScopes(_ error: ScopeFileError, path: String) -> Failure {
        Failure(
            .configuration, "bad_scopes", error.message, place: path, outcome: "nothing was done",
            advice: "correct it, then run tidemark scope check --scopes FILE; see Protocol/scopes.md")
    }

    /// The failure for scopes without keys, and for a file of keys that cannot be used.
    package static func badKeys(_ message: String, path: String = "") -> Failure {
        Failure(
            .configuration, "bad_keys", message, place: path, outcome: "nothing was done",
            advice: "pass a JWK Set to --jwt-keys; see docs/scopes.md")
    }
}
