public import NIOCore

/// Encrypts the connections of a server. For TLS, use `TLSIdentity` from the library `TidemarkServerTLS`.
public protocol ConnectionEncryption: Sendable {
    /// Adds the handlers that encrypt a connection to its pipeline, which is still empty. Called on the channel's event
    /// loop.
    ///
    /// - Throws: Why the connection cannot be encrypted; the connection then closes.
    func encrypt(_ channel: any Channel) throws
}
