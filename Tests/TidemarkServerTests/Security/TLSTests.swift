import Foundation
import NIOSSL
import TestTraits
import Testing
import TidemarkServer
import TidemarkServerTLS
import TidemarkTestKit
import TidemarkTesting

/// Connections by TLS, and the files that they need.
@Suite(.pooled, .tags(.process)) struct TLSTests {
    private static func files(_ key: String = Certificate.key, mode: Int = 0o600) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(Array(Certificate.chain.utf8), to: "cert.pem")
        try folder.write(Array(key.utf8), to: "key.pem")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path("key.pem"))
        return folder
    }

    private static func options(_ folder: TemporaryFolder) -> [String] {
        ["--tls-cert", folder.path("cert.pem"), "--tls-key", folder.path("key.pem")]
    }

    private static func request(_ method: String, _ path: String, _ server: ServedCommand, _ body: String = "")
        -> String
    {
        "\(method) \(path) HTTP/1.1\r\nHost: localhost:\(server.port)\r\nAuthorization: Bearer \(server.token)\r\n"
            + "Content-Type: \(path == "/events" ? "application/x-ndjson" : "application/json")\r\n"
            + (body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n") + "\r\n\(body)"
    }

    @Test(arguments: [TLSVersion.tlsv12, .tlsv13])
    func `with a certificate all paths are served by TLS`(version: TLSVersion) async throws {
        try await onThread {
            let folder = try TLSTests.files()
            let server = try ServedCommand(["--allow-remote"] + TLSTests.options(folder))
            #expect(server.firstLine.contains("\"serving\":\"https://127.0.0.1:\(server.port)\""))
            let connection = try TLSConnection(port: server.port, version: version)
            try connection.write(TLSTests.request("POST", "/events", server, ServedCommand.event("1", sequence: 1)))
            #expect(try connection.text(with: "\"seconds\"").hasPrefix("HTTP/1.1 200 OK"))
            let stream = try TLSConnection(port: server.port, version: version)
            try stream.write(TLSTests.request("GET", "/stream", server))
            let hello = try stream.text(with: "event: hello")
            #expect(hello.contains("text/event-stream"))
            try connection.write(TLSTests.request("GET", "/entities/file/1?library_id=home", server))
            #expect(try connection.text(with: "ETag").contains("\"name\":\"a\""))
            // The page's own origin is that of TLS.
            let page = try TLSConnection(port: server.port, version: version)
            try page.write("GET / HTTP/1.1\r\nHost: localhost:\(server.port)\r\nConnection: close\r\n\r\n")
            #expect(try page.text(with: "</html>").contains("text/html"))
            #expect(page.isClosed())
            let end = server.stop()
            #expect(try stream.text(with: "event: bye").contains("bye"))
            #expect(end.status == 0 && end.errors.contains("https://127.0.0.1:\(server.port)/#token="))
        }
    }

    /// Longer than one record of TLS, and than one write of a stream.
    private static let longName = String(repeating: "x", count: 100_000)

    @Test(arguments: [TLSVersion.tlsv12, .tlsv13])
    func `a stream by TLS has its notifications in order, and bye at SIGTERM`(version: TLSVersion) async throws {
        try await onThread {
            let folder = try TLSTests.files()
            let server = try ServedCommand(TLSTests.options(folder))
            let stream = try TLSConnection(port: server.port, version: version)
            try stream.write(TLSTests.request("GET", "/stream", server))
            let hello = try stream.text(with: "\"}\n\n")
            #expect(hello.hasPrefix("HTTP/1.1 200 OK\r\n"))
            let id = String(try #require(hello.firstMatch(of: /"stream":"([0-9a-f]{32})"/)).1)
            let other = try TLSConnection(port: server.port, version: version)
            let observe =
                #"{"jsonrpc":"2.0","id":1,"method":"entity.observe","params":{"library_id":"home","resource_type":"file","id":"1"}}"#
            try other.write(
                TLSTests.request("POST", "/rpc", server, observe)
                    .replacing("Content-Type:", with: "Tidemark-Stream: \(id)\r\nContent-Type:", maxReplacements: 1))
            _ = try other.text(with: "\"subscription\":1")
            // One at a time, so that each is a notification of its own; the last is longer than a record of TLS.
            for number in 1...5 {
                let name = number == 5 ? TLSTests.longName : "n\(number)"
                let event = ServedCommand.event("1", name, sequence: number)
                try other.write(TLSTests.request("POST", "/events", server, event))
                _ = try stream.text(with: "\"name\":\"\(name)\"")
            }
            let end = server.stop()
            let all = try stream.text(with: "event: bye\ndata: {\"stream\":\"\(id)\"}\n\n")
            #expect(end.status == 0 && stream.isClosed())
            let numbers = all.matches(of: /id: ([0-9]+)\n/).compactMap { Int($0.1) }
            #expect(numbers == Array(1...numbers.count))
            let names = all.matches(of: /"name":"([nx0-9]+)"/).map { String($0.1) }
            #expect(names == ["n1", "n2", "n3", "n4", TLSTests.longName])
            #expect(try stream.text(with: "\r\n0\r\n\r\n").hasSuffix("\r\n0\r\n\r\n"))
        }
    }

    @Test func `a client without TLS, or with an old one, gets nothing`() async throws {
        try await onThread {
            let folder = try TLSTests.files()
            let server = try ServedCommand(TLSTests.options(folder))
            let plain = try server.connect()
            plain.write("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
            #expect(plain.isClosed())
            #expect(throws: RawFailure.self) { _ = try plain.text(through: "HTTP/1.1", seconds: 1) }
            let old = try TLSConnection(port: server.port, version: .tlsv11)
            #expect(throws: (any Error).self) {
                try old.write("GET /healthz HTTP/1.1\r\n\r\n")
                _ = try old.text(with: "HTTP/1.1", seconds: 5)
            }
            #expect(server.stop().status == 0)
        }
    }

    @Test func `a handshake that never ends is ended`() async throws {
        try await onThread {
            let folder = try TLSTests.files()
            let server = try ServedCommand(["--head-timeout", "1"] + TLSTests.options(folder))
            let slow = try server.connect()
            slow.write([0x16, 0x03])
            #expect(slow.isClosed(within: 30))
            #expect(server.stop().status == 0)
        }
    }

    @Test func `files that cannot be used are refused before anything is made`() async throws {
        let other = """
            -----BEGIN EC PRIVATE KEY-----
            MHcCAQEEIE1UUTj21ZlsNw/wNkByPHDER0JciWeDvoUCUba4Fa98oAoGCCqGSM49
            AwEHoUQDQgAEpZuDTtfa3VYvH/8UQJDcGHqLspR4JwlfDwiOD5Lc9hAcQ0LWWFuE
            yiFEicqOHEnJlYNV52z6hVi3oPbbx/Hd8A==
            -----END EC PRIVATE KEY-----
            """
        for (key, mode, code) in [
            (Certificate.key, 0o604, "unsafe_key"), (Certificate.key, 0o602, "unsafe_key"),
            (other, 0o600, "unusable_certificate"), ("no key", 0o600, "unusable_certificate"),
            ("", 0o600, "unusable_certificate"),
        ] {
            let folder = try TLSTests.files(key, mode: mode)
            let result = try await CommandRunner().run(
                ["serve", "--db", folder.path("a.db"), "--listen", "127.0.0.1:0"] + TLSTests.options(folder))
            #expect(result.status == 78 && result.errorText.hasPrefix("tidemark: \(code): "), "\(result.errorText)")
            #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) == ["cert.pem", "key.pem"])
        }
        let folder = try TLSTests.files()
        for arguments in [
            ["--tls-cert", folder.path("cert.pem")], ["--tls-key", folder.path("key.pem")],
            ["--tls-cert", "", "--tls-key", folder.path("key.pem")],
        ] {
            let result = try await CommandRunner().run(["serve", "--db", folder.path("a.db")] + arguments)
            #expect(result.status == 64, "\(arguments): \(result.errorText)")
        }
    }

    @Test func `a key that a group may read, behind a link, is taken`() throws {
        let folder = try TLSTests.files(mode: 0o640)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("live.pem"), withDestinationPath: folder.path("key.pem"))
        _ = try TLSIdentity(certificatePath: folder.path("cert.pem"), keyPath: folder.path("live.pem"))
        #expect(throws: TLSIdentity.Fault.self) {
            try TLSIdentity(certificatePath: folder.path(""), keyPath: folder.path("key.pem"))
        }
        #expect(throws: TLSIdentity.Fault.self) {
            try TLSIdentity(certificatePath: folder.path("nothing"), keyPath: folder.path("key.pem"))
        }
    }
}
