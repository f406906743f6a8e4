import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// Servers that do what a well-behaved one never does: each ends with a typed error or with the answer, and the session
/// goes on.
@Suite(.pooled, .tags(.process)) struct HostileServerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let first = #"{"data":{"hero":{"__typename":"Droid","id":"1"}},"hasNext":true}"#
    private static let last = #"{"incremental":[{"path":["hero"],"label":"D","data":{"name":"R2"}}],"hasNext":false}"#
    private static let whole = #""data":{"hero":{"id":"1","name":"R2"}}"#

    private static func head(_ fields: String) -> String { "HTTP/1.1 200 OK\r\nConnection: close\r\n\(fields)\r\n\r\n" }

    private static let parts = head("Content-Type: multipart/mixed;boundary=\"-\";deferSpec=20220824")

    private static func part(_ payload: String) -> String {
        "\r\n---\r\nContent-Type: application/json\r\n\r\n\(payload)"
    }

    /// Reads a document once, and then asks whether the session still answers.
    private func read(
        _ text: String, chunkByteCount: Int = 65_536, end: ScriptedServer.Script.End = .close, timeout: String = "60"
    ) throws -> String {
        let script = ScriptedServer.Script(bytes: Array(text.utf8), chunkByteCount: chunkByteCount, end: end)
        let server = try ScriptedServer(scripts: [script])
        defer { server.stop() }
        let live = try LiveCommand([
            "run", "--db", folder.path("cache.db"), "--fetch-timeout", timeout, "--graphql-endpoint",
            "http://127.0.0.1:\(server.port)/graphql",
        ])
        func answer(_ id: Int, _ method: String, _ params: String) -> String {
            live.write(Array((#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"# + "\n").utf8))
            while case .line(let line) = live.next(seconds: 240) {
                let text = String(decoding: line, as: UTF8.self)
                if text.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"#) { return text }
            }
            return "no answer"
        }
        let read = answer(1, "graphql.read", #"{"document":"{ hero { id ... @defer(label: \"D\") { name } } }"}"#)
        #expect(answer(2, "optimistic.list", "{}").contains(#""result":{"pending":[]}"#))
        let status = live.finish(seconds: 60)
        #expect(status.status == 0, "\(status.errors)")
        return read
    }

    @Test(arguments: [
        ("", "timed_out"),
        ("HTTP/1.1 200 OK\r\nContent-Ty", "timed_out"),
        (head("Content-Type: application/json\r\nContent-Length: 100") + "{\"data\"", "timed_out"),
        (parts, "timed_out"),
        (parts + part(first), "timed_out"),
        (parts + part(first) + "\r\n---\r\nContent-Type: appl", "timed_out"),
    ])
    func `a server that stalls is given up after the time for the next part`(text: String, reason: String) throws {
        let answer = try read(text, end: .stall, timeout: "1")
        #expect(answer.contains(#""code":"upstream_failed""#), "\(answer)")
        #expect(answer.contains(#""reason":"\#(reason)""#) || answer.contains("within 1000 ms"), "\(answer)")
    }

    @Test(arguments: ["", parts, parts + part(first), head("Content-Type: application/json") + "{"])
    func `a connection that is reset fails the read`(text: String) throws {
        let answer = try read(text, end: .reset)
        #expect(answer.contains(#""code":"upstream_failed""#) && answer.contains(#""reason":""#), "\(answer)")
    }

    /// An answer that is wrong, and a word of the error. Its description is its end: one is a megabyte.
    struct WrongAnswer: Sendable, CustomTestStringConvertible {
        var text: String
        var reason: String

        var testDescription: String { "\(reason): \(text.suffix(60).debugDescription)" }
    }

    @Test(
        arguments: [
            (
                head("Content-Type: application/json\r\nContent-Length: 9999") + #"{"data":{"hero":null}}"#,
                #""reason":"truncated""#
            ),
            (head("Content-Type: application/json\r\nContent-Length: 5") + #"{"data":{"hero":null}}"#, "not_graphql"),
            (head("Content-Type: application/json\r\nContent-Length: -1") + "{}", "upstream_failed"),
            (head("Content-Type: application/json\r\nTransfer-Encoding: chunked") + "zz\r\n{}", "upstream_failed"),
            (
                head("Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 4")
                    + "\u{1F}\u{01}ab",
                "upstream_failed"
            ),
            (
                head("Content-Type: multipart/mixed;boundary=\"-\";deferSpec=20220824\r\nContent-Length: 50")
                    + part(first)
                    + part(last), "premature_end"
            ),
            (parts + part(first) + part("{\"incremental\":[{\"path\":[\"he"), "premature_end"),
            (parts + part(first) + part("[1]\r\n---\r\n"), "not_graphql"),
            (parts + part(first) + part("{\"incremental\":5,\"hasNext\":true}\r\n---\r\n"), "not_graphql"),
            (parts + part(#"{"data":5,"hasNext":true}"#), "upstream_failed"),
            (
                parts + part(first) + "\r\n---\r\nContent-Type: application/json\r\n"
                    + String(repeating: "X: y\r\n", count: 200_000), "limit_exceeded"
            ),
        ].map(WrongAnswer.init))
    func `lengths, encodings and parts that are wrong fail the read`(wrong: WrongAnswer) throws {
        let answer = try read(wrong.text)
        #expect(answer.contains(#""code":"upstream_failed""#) && answer.contains(wrong.reason), "\(answer)")
    }

    /// 65 MiB stand for all bytes that there are.
    @Test(arguments: [
        head("Content-Type: application/json") + "{\"data\":\"", parts + "\r\n---\r\n\r\n{\"data\":\"",
    ])
    func `a server that sends for ever is stopped at the limit`(beginning: String) throws {
        let answer = try read(beginning + String(repeating: "a", count: 65 << 20), end: .stall, timeout: "240")
        #expect(answer.contains(#""code":"upstream_failed""#) && answer.contains("limit_exceeded"), "\(answer)")
    }

    @Test func `100,000 heartbeats between two parts change nothing`() throws {
        let beats = String(repeating: Self.part("{}"), count: 100_000)
        let answer = try read(Self.parts + Self.part(Self.first) + beats + Self.part(Self.last) + "\r\n-----\r\n")
        #expect(answer.contains(Self.whole), "\(answer)")
    }

    @Test func `a body that comes byte by byte is read`() throws {
        let answer = try read(
            Self.parts + Self.part(Self.first) + Self.part(Self.last) + "\r\n-----\r\n", chunkByteCount: 1)
        #expect(answer.contains(Self.whole), "\(answer)")
    }

    @Test func `a server that stalls after the last part is not waited for`() throws {
        let answer = try read(Self.parts + Self.part(Self.first) + Self.part(Self.last) + "\r\n---\r\n", end: .stall)
        #expect(answer.contains(Self.whole), "\(answer)")
    }
}
