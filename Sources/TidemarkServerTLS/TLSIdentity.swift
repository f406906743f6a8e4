public import NIOCore
import NIOSSL
public import TidemarkServer

/// The certificate by which a server proves its name, with the key to it.
///
/// - Source: Protocol/serving.md, security; RFC 8446.
public struct TLSIdentity: ConnectionEncryption {
    /// TLS 1.2 or later, for HTTP/1.1 alone.
    private let context: NIOSSLContext

    /// The reason why a certificate or a key cannot be used.
    public struct Fault: Error, Hashable, Sendable {
        /// The mistake, and what to do about it.
        public var message: String
        /// Whether the key must not be used, because others can read it.
        public var isUnsafe = false
    }

    /// Reads both files once; a server that is to use renewed ones is started again.
    ///
    /// - Parameters:
    ///   - certificatePath: PEM: the server's certificate, then those that lead from it to a known one.
    ///   - keyPath: PEM: its private key, without a passphrase, in a file that others cannot read. Links are followed,
    ///     because tools that renew certificates use them.
    /// - Throws: ``Fault``; also when the key does not belong to the certificate.
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
            // A key of another certificate is found here, and not at the first connection.
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

    public func encrypt(_ channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }
}
