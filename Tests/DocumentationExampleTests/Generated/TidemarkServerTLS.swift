// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkModel
import TidemarkServerTLS

/// The example in Sources/TidemarkServerTLS/TLSIdentity.swift.
func exampleTidemarkServerTLS1(cache: SyncCache) async throws {
    do throws(TLSIdentity.Fault) {
        let identity = try TLSIdentity(certificatePath: "server.pem", keyPath: "server.key")
        print("TLS is ready:", type(of: identity))
    } catch {
        print(error.message)
    }
}
