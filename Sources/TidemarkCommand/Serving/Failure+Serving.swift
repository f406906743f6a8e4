extension Failure {
    /// The failure for a token file that must not be used.
    package static func unsafeToken(_ message: String) -> Failure {
        Failure(
            .configuration, "unsafe_token", message, outcome: "nothing was done", advice: "see Protocol/serving.md")
    }

    /// The failure for a token file that cannot be created or read.
    package static func noToken(_ message: String) -> Failure {
        Failure(
            .cannotCreate, "cannot_create", message, outcome: "nothing was done", advice: "see Protocol/serving.md")
    }

    /// The failure for a private key that others can read or change.
    package static func unsafeKey(_ message: String) -> Failure {
        Failure(
            .configuration, "unsafe_key", message, outcome: "nothing was done",
            advice: "pass the certificate and its key in PEM to --tls-cert and --tls-key")
    }

    /// The failure for a certificate or key that cannot be used.
    package static func unusableCertificate(_ message: String) -> Failure {
        Failure(
            .configuration, "unusable_certificate", message, outcome: "nothing was done",
            advice: "pass the certificate and its key in PEM to --tls-cert and --tls-key")
    }

    /// The failure for an address that cannot be listened on.
    package static func cannotListen(_ address: String, _ reason: String) -> Failure {
        Failure(
            .unavailable, "cannot_listen", "the address cannot be listened on", place: "\(address): \(reason)",
            outcome: "nothing was served", advice: "stop what listens there, or pass another --listen")
    }
}
