public import NIOCore
import NIOSSL
public import TidemarkServer

/// A server certificate and its private key, for TLS.
///
/// ```swift
/// do throws(TLSIdentity.Fault) {
///     let identity = try TLSIdentity(certificatePath: "server.pem", keyPath: "server.key")
///     print("TLS is ready:", type(of: identity))
/// } catch {
///     print(error.message)
/// }
/// ```
///
/// To encrypt a server's connections, set it as `CacheServerConfiguration.encryption`.
///
/// - Source: Protocol/serving.md, security; RFC 8446.
public struct TLSIdentity: ConnectionEncryption {
    /// TLS 1.2 or later; ALPN offers only HTTP/1.1.
    private let context: NIOSSLContext

    /// Why a certificate or a key cannot be used.
    public struct Fault: Error, Hashable, Sendable {
        /// What is wrong, and what to do about it.
        public var message: String
        /// True if the key file must not be used because others can read or change it.
        public var isUnsafe = false
    }

    /// Reads both files. They are read only once: restart the server to use renewed ones.
    ///
    /// - Parameters:
    ///   - certificatePath: A PEM file with the server's certificate, followed by its intermediate certificates.
    ///   - keyPath: A PEM file with the private key, without a passphrase, that others can neither read nor change.
    ///     Symbolic links are followed, because tools that renew certificates use them.
    /// - Throws: ``Fault`` when a file cannot be read or used, or the key does not belong to the certificate.
    public init(certificatePath: String, keyPath: String) throws(Fault) {
        let chain = try PEMFile(path: certificatePath).bytes(isSecret: false)
        let secret = try PEMFile(path: keyPath).bytes(isSecret: true)
        do {
            let certificates = try NIOSSLCertificate.fromPEMBytes(chain)
            guard !certificates.isEmpty else { throw Fault(message: "\(certificatePath) holds no certificate") }
            let key = try NIOSSLPrivateKey(bytes: secret, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            // Fails here, rather than at the first connection, if the key belongs to another certificate.
            context = try NIOSSLContext(configuration: configuration)
        } catch let fault as Fault {
            throw fault
        } catch {
            throw Fault(
                message:
                    "\(certificatePath) and \(keyPath) are not a certificate and its key in PEM, without a passphrase"
            )
        }
    }

    /// Adds the TLS handler to the connection's pipeline.
    public func encrypt(_ channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }
}
