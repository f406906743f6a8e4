public import NIOCore

/// A way to encrypt the connections of a server. `TLSIdentity` of the library `TidemarkServerTLS` is the one for TLS.
public protocol ConnectionEncryption: Sendable {
    /// Adds the handlers that encrypt one connection to its pipeline, which is empty. Called on the channel's event
    /// loop.
    ///
    /// - Throws: The reason why the connection cannot be encrypted; it is closed then.
    func encrypt(_ channel: any Channel) throws
}
