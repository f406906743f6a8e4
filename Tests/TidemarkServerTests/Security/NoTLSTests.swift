import Foundation
import Testing
import TidemarkTestKit
import TidemarkTesting

/// The command that is built without TLS, as `make test` builds it.
@Suite(.timeLimit(.minutes(30)), .tags(.process)) struct NoTLSTests {
    @Test func `a command without TLS refuses a certificate before anything is made`() async throws {
        let folder = try TemporaryFolder()
        try folder.write(Array(Certificate.chain.utf8), to: "cert.pem")
        try folder.write(Array(Certificate.key.utf8), to: "key.pem")
        let result = try await CommandRunner().run([
            "serve", "--db", folder.path("a.db"), "--listen", "127.0.0.1:0", "--tls-cert", folder.path("cert.pem"),
            "--tls-key", folder.path("key.pem"),
        ])
        #expect(result.status == 78)
        #expect(result.errorText.hasPrefix("tidemark: unusable_certificate: this command was built without TLS"))
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) == ["cert.pem", "key.pem"])
    }
}
