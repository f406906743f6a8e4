import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkJetStream

/// Encryption, credentials and several servers, by the built command and real servers.
@Suite(
    .pooled, .tags(.process), .ownThreads,
    .enabled(if: NatsServer.program != nil, NatsServer.advice),
    .enabled(if: OpenSSL.program != nil, "openssl is not installed"))
struct LoginTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Asks for a stream that does not exist: `no_stream` says that the login succeeded.
    ///
    /// - Returns: The code of the error line and the whole output.
    private func login(_ address: String) async throws -> (code: String, status: Int32, text: String) {
        let result = try await CommandRunner().run(["stream", "info", "--to", address])
        let text = result.errorText + result.outputText
        let code = text.split(separator: ":").dropFirst().first.map { $0.trimmingCharacters(in: .whitespaces) }
        return (code ?? "", result.status, text)
    }

    @Test func `a server is trusted by its authority and its name`() async throws {
        let authority = try Authority()
        func server(_ names: String, _ more: String = "") throws -> NatsServer {
            let (certificate, key) = try authority.certify("server", names)
            return try NatsServer(#"tls { cert_file: "\#(certificate)", key_file: "\#(key)", timeout: 10 \#(more) }"#)
        }
        let trust = "tls-ca=\(authority.certificate)"
        let secure = try server("DNS:localhost,IP:127.0.0.1")
        #expect(try await login(secure.address("NONE", trust)).code == "no_stream")
        #expect(try await login("tls://localhost:\(secure.port)/NONE?\(trust)").code == "no_stream")
        let unknown = try await login(secure.address("NONE", "tls=true"))
        #expect(unknown.code == "tls_failed" && unknown.status == 69, "\(unknown.text)")
        #expect(unknown.text.contains("check tls-ca"))

        let misnamed = try server("DNS:other.example")
        let other = try await login(misnamed.address("NONE", trust))
        #expect(other.code == "tls_failed" && other.text.contains("mismatch"), "\(other.text)")

        let plain = try NatsServer()
        let open = try await login(plain.address("NONE", trust))
        #expect(open.code == "tls_failed" && open.text.contains("offers no encryption"), "\(open.text)")

        let missing = try await login(secure.address("NONE", "tls-ca=/nowhere/ca.pem"))
        #expect(missing.code == "not_found" && missing.status == 66, "\(missing.text)")
        #expect(missing.text.contains("/nowhere/ca.pem cannot be read") && missing.text.contains("check tls-ca"))
    }

    @Test func `a server that verifies clients takes a certificate of ours`() async throws {
        let authority = try Authority()
        let (certificate, key) = try authority.certify("server", "IP:127.0.0.1")
        let ours = try authority.certify("client", "DNS:client")
        let server = try NatsServer(
            #"tls { cert_file: "\#(certificate)", key_file: "\#(key)", ca_file: "\#(authority.certificate)", verify: true, timeout: 10 }"#
        )
        let trust = "tls-ca=\(authority.certificate)"
        let known = try await login(
            server.address("NONE", "\(trust)&tls-cert=\(ours.certificate)&tls-key=\(ours.key)"))
        #expect(known.code == "no_stream", "\(known.text)")
        let unknown = try await login(server.address("NONE", trust))
        #expect(unknown.code == "no_server" && unknown.text.contains("needs tls-cert and tls-key"), "\(unknown.text)")
        // A key of another certificate is found before a server is asked.
        let mixed = try await login(server.address("NONE", "\(trust)&tls-cert=\(ours.certificate)&tls-key=\(key)"))
        #expect(mixed.code == "tls_failed", "\(mixed.text)")
    }

    @Test func `a password, a token and an NKEY admit, and are in no message`() async throws {
        let key = try NKey(.user)
        let stranger = try NKey(.user)
        try folder.write(Array(key.seed.utf8), to: "seed")
        try folder.write(Array(stranger.seed.utf8), to: "other")
        try folder.write(Array((key.seed.dropLast(4) + "AAAA").utf8), to: "broken")
        let named = try NatsServer(
            "authorization { users: [ { user: u, password: s3cret }, { nkey: \(key.name) } ] }")
        #expect(try await login(named.address("NONE", user: "u:s3cret")).code == "no_stream")
        let options = "nkey=\(key.name)&seed=\(folder.path("seed"))"
        #expect(try await login(named.address("NONE", options)).code == "no_stream")
        let token = try NatsServer("authorization { token: t0ken }")
        #expect(try await login(token.address("NONE", user: "t0ken")).code == "no_stream")
        for (address, secret) in [
            (named.address("NONE"), "s3cret"), (named.address("NONE", user: "u:wr0ng"), "wr0ng"),
            (token.address("NONE", user: "wr0ng"), "wr0ng"),
            (named.address("NONE", "nkey=\(stranger.name)&seed=\(folder.path("other"))"), stranger.seed),
            (named.address("NONE", "nkey=\(key.name)&seed=\(folder.path("other"))"), stranger.seed),
            (named.address("NONE", "nkey=\(key.name)&seed=\(folder.path("broken"))"), String(key.seed.dropLast(4))),
        ] {
            let (code, status, text) = try await login(address)
            #expect(code == "denied" && status == 69, "\(text)")
            #expect(!text.contains(secret), "\(text)")
        }
    }

    @Test func `a credentials file admits its user until it expires`() async throws {
        let accounts = try SignedAccounts()
        let user = try NKey(.user)
        let valid = try accounts.credentials(of: user)
        let server = try NatsServer(accounts.configuration)
        try folder.write(Array(valid.utf8), to: "valid.creds")
        try folder.write(Array(try accounts.credentials(of: user, expires: 1_000_000_000).utf8), to: "expired.creds")
        try folder.write(Array(valid.replacing(user.seed, with: try NKey(.user).seed).utf8), to: "mixed.creds")
        try folder.write(Array("nothing".utf8), to: "empty.creds")
        #expect(try await login(server.address("NONE", "creds=\(folder.path("valid.creds"))")).code == "no_stream")
        for name in ["expired", "mixed", "empty"] {
            let refused = try await login(server.address("NONE", "creds=\(folder.path("\(name).creds"))"))
            #expect(refused.code == "denied" && refused.status == 69, "\(name): \(refused.text)")
            #expect(!refused.text.contains(user.seed))
        }
        let missing = try await login(server.address("NONE", "creds=\(folder.path("no.creds"))"))
        #expect(missing.code == "not_found" && missing.text.contains("check creds"), "\(missing.text)")
    }

    @Test func `of several servers the first that answers is taken`() async throws {
        let first = try NatsServer()
        let second = try NatsServer("authorization { user: u, password: s3cret }")
        let (silent, gone) = try (NatsServer(), first.port)
        silent.kill(SIGSTOP)
        defer { silent.kill(SIGKILL) }
        first.kill(SIGKILL)
        let servers = "127.0.0.1:\(gone),127.0.0.1:\(silent.port),127.0.0.1:\(second.port)"
        #expect(try await login("nats://u:s3cret@\(servers)/NONE").code == "no_stream")
        // The one that refuses says more than those that do not answer.
        let refused = try await login("nats://u:wr0ng@127.0.0.1:\(gone),127.0.0.1:\(second.port)/NONE")
        #expect(refused.code == "denied", "\(refused.text)")
        let none = try await login("nats://127.0.0.1:\(gone),nowhere.invalid:4222/NONE")
        #expect(none.code == "no_server" || none.code == "timed_out", "\(none.text)")
        #expect(none.text.contains("nowhere.invalid:4222"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a name two addresses"))
    func `a name with many addresses is tried to the last one`() async throws {
        let server = try NatsServer("host: 127.0.0.1")
        try folder.write(
            Array("127.0.0.2 many.example\n127.0.0.3 many.example\n127.0.0.1 many.example\n".utf8), to: "hosts")
        let command = try CommandRunner().executable
        let result = try await CommandRunner(executable: "/usr/bin/unshare").run([
            "-m", "/bin/sh", "-c",
            "mount --bind \(folder.path("hosts")) /etc/hosts && exec \(command) stream info --to nats://many.example:\(server.port)/NONE",
        ])
        #expect(result.errorText.contains("no_stream"), "\(result.errorText)")
    }

    @Test func `a session outlives credentials that are refused for a while`() async throws {
        let server = try NatsServer("authorization { user: u, password: s3cret }")
        server.login.user = "u:s3cret@"
        try server.makeStream("EVENTS")
        try server.publish([change(1)], to: "tidemark.me")
        let session = try LiveCommand([
            "run", "--db", folder.path("cache.db"), "--from", server.address("EVENTS", user: "u:s3cret"),
            "--log-level", "trace",
        ])
        try session.wait("the first message") { $0.contains("library.state") && $0.contains(#""state":"live""#) }
        server.kill(SIGKILL)
        server.configuration = "authorization { user: u, password: another }"
        try server.start()
        try session.wait("the state gap") { $0.contains("library.state") && $0.contains(#""state":"gap""#) }
        server.kill(SIGKILL)
        server.configuration = "authorization { user: u, password: s3cret }"
        try server.start()
        try session.wait("the state live") { $0.contains("library.state") && $0.contains(#""state":"live""#) }
        let end = session.finish(seconds: 30)
        #expect(end.status == 0, "\(end.errors)")
        #expect("\(end.errors)".contains("denied") && !"\(end.errors)".contains("s3cret"), "\(end.errors)")
    }

    @Test func `no recording and no file of the cache holds a password`() async throws {
        let server = try NatsServer("authorization { user: user17, password: s3cret }")
        server.login.user = "user17:s3cret@"
        try server.makeStream("EVENTS")
        try server.publish([change(1)], to: "tidemark.me")
        let address = server.address("EVENTS", user: "user17:s3cret")
        let result = try await CommandRunner().run([
            "ingest", "--db", folder.path("cache.db"), "--from", address, "--until-caught-up", "--upstream", address,
            "--record", folder.path("recording"),
        ])
        #expect(result.status == 0 && result.outputText.contains(#""applied":1"#), "\(result.errorText)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.contains("cache.db") && names.contains("recording"))
        for name in names {
            let content = try #require(FileManager.default.contents(atPath: folder.path(name)))
            #expect(content.range(of: Data("s3cret".utf8)) == nil, "\(name) has the password")
            #expect(content.range(of: Data("user17".utf8)) == nil, "\(name) has the user")
        }
        // Mistakes on the command line are shown to the user, but not with the address.
        for arguments in [
            ["ingest", "--db", "x", "--form", address], ["ingest", "--db", "x", address],
            ["ingest", "--db", "x", address.replacing("s3cret", with: "a/b's3cret")],
            ["ingest", "--db", "x", "--from", address, "--from"], ["publish", "--to", address + "%"],
            ["ingest", "--db", "x", "--upstream", address + "?bad"], ["run", "--db", "x", "--from=\(address)/x"],
        ] {
            let wrong = try await CommandRunner().run(arguments)
            #expect(wrong.status == 64, "\(arguments): \(wrong.status)")
            #expect(!(wrong.errorText + wrong.outputText).contains("s3cret"), "\(arguments): \(wrong.errorText)")
        }
    }
}

/// The body of a change of one file.
func change(_ value: Int) -> String {
    EventLine.change(#"{"id":"1","n":\#(value)}"#)
}

extension LiveCommand {
    /// Waits for a line of the output.
    func wait(_ what: String, _ isWanted: (String) -> Bool) throws {
        while true {
            guard case .line(let line) = next(seconds: 60) else {
                Issue.record("\(what) did not come")
                throw CancellationError()
            }
            if isWanted(String(decoding: line, as: UTF8.self)) { return }
        }
    }
}
