import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkJetStream
import Tidemark
import TidemarkModel

/// The sentences for whatever a real server refuses.
@Suite(
    .pooled, .tags(.process), .ownThreads,
    .enabled(if: NatsServer.program != nil, NatsServer.advice))
struct RefusalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var database: String { folder.path("cache.db") }

    private func run(
        _ arguments: [String], _ input: String = "", status: Int32, _ parts: String...,
        from: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await CommandRunner().run(arguments, input: Array(input.utf8))
        #expect(result.status == status, "\(result.errorText)", sourceLocation: from)
        for part in parts { #expect(result.errorText.contains(part), "\(result.errorText)", sourceLocation: from) }
    }

    private func ingest(_ address: String) -> [String] {
        ["ingest", "--db", database, "--from", address, "--until-caught-up"]
    }

    @Test func `a server and an account without JetStream`() async throws {
        let server = try NatsServer(limits: nil)
        try await run(
            ["stream", "create", "--to", server.address("EVENTS")], status: 69, "no_jetstream: nobody at",
            "start the server with -js")
        // Such a server may still get it: ten seconds are granted.
        try await run(ingest(server.address("EVENTS")), status: 69, "no_jetstream")
        let divided = try NatsServer(
            "accounts { A { jetstream: enabled, users: [ { user: a, password: p } ] }, B { users: [ { user: b, password: p } ] } }"
        )
        try await run(["stream", "create", "--to", divided.address("EVENTS", user: "a:p")], status: 0)
        try await run(
            ["stream", "create", "--to", divided.address("EVENTS", user: "b:p")], status: 69,
            "no_jetstream: JetStream is not enabled", "enable JetStream for the account")
    }

    @Test func `a stream that does not exist, and one of other subjects`() async throws {
        let server = try NatsServer()
        try await run(
            ["publish", "--to", server.address("EVENTS")], change(1) + "\n", status: 69,
            "no_stream: there is no stream EVENTS", "make it with tidemark stream create")
        try server.makeStream("EVENTS", subjects: #"["a.*"]"#)
        try await run(
            ["publish", "--to", server.address("EVENTS")], change(1) + "\n", status: 73,
            "different_stream: the stream EVENTS does not store tidemark._", "?prefix=")
        try await run(
            ingest(server.address("EVENTS")), status: 73,
            "different_stream: the stream EVENTS has no subjects tidemark.*")
        try await run(
            ["stream", "create", "--to", server.address("OTHER", "prefix=a")], status: 73,
            "different_stream: another stream of the account has subjects a.*", "take another prefix")
        try await run(
            ["stream", "create", "--replicas", "3", "--to", server.address("OTHER")], status: 69,
            "refused: there are not enough servers", "pass fewer --replicas")
    }

    @Test func `a stream at its limits keeps what it has, and says so`() async throws {
        let server = try NatsServer("max_payload: 4096", limits: "max_mem: 1MB, max_file: 1MB")
        try await run(
            ["stream", "create", "--max-bytes", "100000000", "--to", server.address("EVENTS")], status: 69,
            "stream_full: the stream, its account or the server is at a limit", "raise the limit")
        try server.makeStream("EVENTS", more: #""allow_direct":true,"max_msgs":5,"discard":"new""#)
        let lines = (1...20).map { #"{"library_id":"a","sequence":\#($0),"event":\#(change($0))}"# + "\n" }.joined()
        let result = try await CommandRunner().run(
            ["publish", "--to", server.address("EVENTS")], input: Array(lines.utf8))
        #expect(result.status == 69 && result.errorText.contains("stream_full"), "\(result.errorText)")
        #expect(result.errorText.contains("the lines up to 5 are published"), "\(result.errorText)")
        // With room the rest is published, and what is there already is recognized.
        try server.call(
            "STREAM.UPDATE.EVENTS",
            #"{"name":"EVENTS","subjects":["tidemark.*"],"storage":"file","allow_direct":true,"max_msgs":50,"discard":"new"}"#
        )
        let more = try await CommandRunner().run(
            ["publish", "--to", server.address("EVENTS")], input: Array(lines.utf8))
        #expect(
            more.status == 0 && more.outputText.contains(#""published":15,"duplicates":5,"#),
            "\(more.errorText)\(more.outputText)")
        try await run(ingest(server.address("EVENTS")), status: 0)
    }

    /// A server whose user may not publish to some subjects, or not receive some.
    private func restricted(_ permissions: String) throws -> NatsServer {
        let server = try NatsServer(
            """
            accounts { A { jetstream: enabled, users: [
                { user: a, password: p }, { user: r, password: p, permissions: { \(permissions) } } ] } }
            """)
        server.login.user = "a:p@"
        try server.makeStream("EVENTS")
        try server.publish([change(1)], to: "tidemark.me")
        return server
    }

    @Test func `publishing to a subject that is not permitted`() async throws {
        let server = try restricted(#"publish: { deny: [ "tidemark.>" ] }"#)
        try await run(
            ["publish", "--library", "a", "--to", server.address("EVENTS", user: "r:p")], change(2) + "\n", status: 69,
            "not_permitted: the user may not publish to tidemark.me", "allow it in the user's permissions",
            "no line is known to be published")
    }

    @Test(arguments: [
        (#"publish: { deny: [ "$JS.API.STREAM.INFO.>" ] }"#, "publish to $JS.API.STREAM.INFO.EVENTS"),
        (#"publish: { deny: [ "$JS.API.CONSUMER.CREATE.>" ] }"#, "publish to $JS.API.CONSUMER.CREATE.EVENTS"),
        (#"publish: { deny: [ "$JS.API.CONSUMER.MSG.NEXT.>" ] }"#, "publish to $JS.API.CONSUMER.MSG.NEXT.EVENTS"),
        (#"subscribe: { deny: [ "_INBOX.>" ] }"#, "receive answers"),
    ])
    func `reading where a subject is not permitted`(permissions: String, words: String) async throws {
        let server = try restricted(permissions)
        try await run(
            ingest(server.address("EVENTS", user: "r:p")), status: 69, "not_permitted: the user may not \(words)",
            "allow")
    }

    @Test func `subjects of a stream are compared token by token`() throws {
        let status = try #require(
            StreamStatus(
                try JSONValue(
                    parsing: Array(
                        #"{"created":"c","config":{"name":"S","subjects":["a.*","b.>","c"]},"state":{"last_seq":1}}"#
                            .utf8))))
        for subject in ["a.x", "b.x", "b.x.y", "c"] { #expect(status.admits(subject), "\(subject)") }
        for subject in ["a", "a.x.y", "b", "c.x", "d", "x.a"] { #expect(!status.admits(subject), "\(subject)") }
    }
}
