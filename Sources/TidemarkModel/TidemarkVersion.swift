/// The version of this library and of its command.
public enum TidemarkVersion {
    /// The version, by the rules of semantic versioning.
    public static let text = "0.2.0"
    /// The version of the session protocol. It increases when hosts of the previous version can no longer be served.
    ///
    /// - Source: Protocol/sessions.md, initialize.
    public static let sessionProtocol: Int64 = 1
}
