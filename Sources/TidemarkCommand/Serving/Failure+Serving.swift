extension Failure {
    /// The failure of a token file that must not be used.
    package static func unsafeToken(_ message: String) -> Failure {
        Failure(
            .configuration, "unsafe_token", message, outcome: "nothing was done", advice: "see Protocol/serving.md")
    }

    /// The failure of a token file that cannot be made or read.
    package static func noToken(_ message: String) -> Failure {
        Failure(
            .cannotCreate, "cannot_create", message, outcome: "nothing was done", advice: "see Protocol/serving.md")
    }

    /// The failure of a key that others can read or change.
    package static func unsafeKey(_ message: String) -> Failure {
        Failure(
            .configuration, "unsafe_key", message, outcome: "nothing was done",
            advice: "pass the certificate and its key in PEM to --tls-cert and --tls-key")
    }

    /// The failure of a certificate or key that cannot be used.
    package static func unusableCertificate(_ message: String) -> Failure {
        Failure(
            .configuration, "unusable_certificate", message, outcome: "nothing was done",
            advice: "pass the certificate and its key in PEM to --tls-cert and --tls-key")
    }

    /// The failure of listening on an address.
    package static func cannotListen(_ address: String, _ reason: String) -> Failure {
        Failure(
            .unavailable, "cannot_listen", "the address cannot be listened on", place: "\(address): \(reason)",
            outcome: "nothing was served", advice: "stop what listens there, or pass another --listen")
    }
}
