import Foundation
import Testing
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkJetStream

/// A real NATS server with JetStream, as a child process with a folder of its own.
final class NatsServer {
    /// The path of the program; nil where it is not installed.
    static let program = ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    static let advice: Comment = "nats-server is not installed; make deps installs it"

    private let folder: TemporaryFolder
    private var process = Process()
    /// Lines of the configuration file besides the port and JetStream; read at each start.
    var configuration: String
    /// The limits of JetStream; nil: the server has none. Read at each start.
    var limits: String?
    /// The login and the options of the test's own connections, such as `user:password@` and `tls-ca=…`.
    var login = (user: "", options: "")
    private(set) var port = 0

    /// - Parameters:
    ///   - configuration: Lines of a configuration file besides the port and JetStream.
    ///   - limits: The limits of JetStream; nil: the server has none.
    init(_ configuration: String = "", limits: String? = "max_mem: 256MB, max_file: 1GB") throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        self.configuration = configuration
        self.limits = limits
        try start()
    }

    deinit { kill(SIGKILL) }

    /// Starts the server on the port that it had, or on a free one, and waits until it listens.
    func start() throws {
        let storage = limits.map { "jetstream { store_dir: \"\(folder.path("store"))\", \($0) }" } ?? ""
        try folder.write(
            Array(
                """
                port: \(port == 0 ? -1 : port)
                ports_file_dir: "\(folder.path)"
                \(storage)
                \(configuration)
                """.utf8), to: "server.conf")
        try launch()
        try waitUntil("the server listens") {
            // A connection of somebody else may have taken one of its ports while it was away: then it ends at once.
            if !process.isRunning { try launch() }
            // The file is written once the server listens; it may be read when half of it is there.
            let ports = folder.path("nats-server_\(process.processIdentifier).ports")
            guard let data = FileManager.default.contents(atPath: ports),
                let names = try? JSONDecoder().decode([String: [String]].self, from: data),
                let found = names["nats"]?.first.flatMap({ URL(string: $0)?.port })
            else { return false }
            port = found
            return true
        }
    }

    private func launch() throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(NatsServer.program))
        process.arguments = ["-c", folder.path("server.conf"), "-l", folder.path("server.log")]
        try process.run()
    }

    func kill(_ number: Int32) {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, number)
        if number == SIGKILL || number == SIGTERM { process.waitUntilExit() }
    }

    /// The log of the server since it was made.
    var log: String {
        FileManager.default.contents(atPath: folder.path("server.log")).map { String(decoding: $0, as: UTF8.self) }
            ?? ""
    }

    func address(_ stream: String, user: String, _ options: String = "") -> String {
        "nats://\(user)@127.0.0.1:\(port)/\(stream)\(options.isEmpty ? "" : "?\(options)")"
    }

    private func connect() throws -> NatsConnection {
        try NatsConnection(
            try JetStreamAddress("nats://\(login.user)127.0.0.1:\(port)/X?\(login.options)"))
    }

    func address(_ stream: String, _ options: String = "") -> String {
        "nats://127.0.0.1:\(port)/\(stream)\(options.isEmpty ? "" : "?\(options)")"
    }

    /// Makes a stream.
    func makeStream(_ name: String, subjects: String = #"["tidemark.*"]"#, more: String = #""allow_direct":true"#)
        throws
    {
        _ = try call(
            "STREAM.CREATE.\(name)", #"{"name":"\#(name)","subjects":\#(subjects),"storage":"file",\#(more)}"#)
    }

    /// Asks JetStream's API, by the same connection as the program's.
    @discardableResult
    func call(_ name: String, _ body: String = "") throws -> String {
        let connection = try connect()
        let answer = try connection.request("$JS.API.\(name)", Array(body.utf8))
        return String(decoding: answer.bytes, as: UTF8.self)
    }

    /// Publishes bodies to a subject.
    func publish(_ bodies: [String], to subject: String, headers: [(name: String, value: String)] = []) throws {
        let connection = try connect()
        let inbox = try connection.newInbox()
        let answers = try connection.subscribe(inbox)
        for body in bodies {
            try connection.publish(Array(body.utf8), to: subject, reply: inbox, headers: headers)
        }
        let batch = NatsBatch()
        var answerCount = 0
        while answerCount < bodies.count {
            guard try answers.receive(into: batch, timeout: 10_000) else {
                Issue.record("the server did not confirm a message")
                return
            }
            while let answer = batch.next() {
                let text = String(decoding: answer.bytes, as: UTF8.self)
                #expect(!text.contains("error"), "\(text)")
                answerCount += 1
            }
        }
    }
}

/// Asks an actor again and again until a condition holds, for the patience of tests at most.
///
/// - Returns: Whether it holds.
func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    let deadline = TestPatience.deadline
    while try await !condition() {
        guard ContinuousClock.now < deadline else { return false }
        await Task.yield()
        poll(nil, 0, 10)
    }
    return true
}

/// Asks again and again until a condition holds; fails after the patience of tests.
func waitUntil(_ what: String, _ condition: () throws -> Bool) throws {
    let deadline = TestPatience.deadline
    while try !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("\(what): not within \(TestPatience.seconds) seconds")
            throw CancellationError()
        }
        // The other process decides when; nothing tells this one.
        poll(nil, 0, 10)
    }
}
