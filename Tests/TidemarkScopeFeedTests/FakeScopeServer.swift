import Synchronization
import TidemarkTestKit

/// A server with the routes of scopes whose answers a test prepares: the next one for each stream, each request for
/// lines and each edit. Without a prepared one, a stream is open and silent, and a request gets 503.
final class FakeScopeServer: Sendable {
    private struct Script {
        var streams: [RawServer.Answer] = []
        var calls: [RawServer.Answer] = []
        var edits: [RawServer.Answer] = []
    }

    private final class Box: Sendable {
        let script = Mutex(Script())

        func answer(to head: String) -> RawServer.Answer {
            script.withLock { script in
                func next(_ answers: inout [RawServer.Answer]) -> RawServer.Answer? {
                    answers.isEmpty ? nil : answers.removeFirst()
                }
                if head.hasPrefix("GET ") { return next(&script.streams) ?? FakeScopeServer.stream([], end: .silence) }
                let isEdit = head.contains("/edits")
                let answer = isEdit ? next(&script.edits) : next(&script.calls)
                return answer ?? RawServer.Answer("503 Service Unavailable", body: [])
            }
        }
    }

    private let box = Box()
    let server: RawServer

    init() throws {
        let box = box
        server = try RawServer { head in head.isEmpty ? RawServer.Answer("") : box.answer(to: head) }
    }

    /// Prepares the next stream.
    func streams(_ answer: RawServer.Answer) { box.script.withLock { $0.streams.append(answer) } }

    /// Prepares the answer to the next request for missing lines.
    func calls(_ answer: RawServer.Answer) { box.script.withLock { $0.calls.append(answer) } }

    /// Prepares the answer to the next edit.
    func edits(_ answer: RawServer.Answer) { box.script.withLock { $0.edits.append(answer) } }

    /// The first lines of the requests that begin with a text.
    func targets(_ prefix: String) -> [String] {
        server.requests.filter { $0.hasPrefix(prefix) }.map { $0.split(separator: "\r\n").first.map(String.init) ?? "" }
    }

    /// The tokens of all requests, in order.
    var tokens: [String] {
        server.requests.map { head in
            head.split(separator: "\r\n").first { $0.hasPrefix("Authorization: Bearer ") }
                .map { String($0.dropFirst(22)) } ?? ""
        }
    }

    static func stream(_ lines: [String], end: RawServer.Answer.End = .silence) -> RawServer.Answer {
        RawServer.Answer(
            "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n" + lines.map { $0 + "\n" }.joined(),
            end: end)
    }

    static func status(_ status: String, _ fields: [String] = [], _ body: String = "") -> RawServer.Answer {
        RawServer.Answer(status, fields, body: Array(body.utf8))
    }
}

/// Lines of a scope's log.
struct ScopeLog {
    var library = "scope-1"
    var epoch = "e1"

    func line(_ sequence: Int64?, _ event: String, previous: Int64? = nil, hasMore: Bool = false) -> String {
        let number = sequence.map { #","sequence":\#($0)"# } ?? ""
        let before = previous.map { #","prev":\#($0)"# } ?? ""
        let more = hasMore ? #","more":true"# : ""
        let names = #""library_id":"\#(library)","epoch":"\#(epoch)""#
        return #"{"envelope":{\#(names)\#(number)\#(before)\#(more)},"event":\#(event)}"#
    }

    func change(_ id: String, _ sequence: Int64, previous: Int64? = nil, hasMore: Bool = false) -> String {
        line(
            sequence, #"{"ResourceChanged":{"resource_type":"file","resource":{"id":"\#(id)","n":1}}}"#,
            previous: previous, hasMore: hasMore)
    }

    func departure(_ id: String, _ sequence: Int64, previous: Int64? = nil, hasMore: Bool = false) -> String {
        line(
            sequence, #"{"ResourceDeleted":{"resource_type":"file","resource_id":"\#(id)","reason":"scope"}}"#,
            previous: previous, hasMore: hasMore)
    }

    func heartbeat(_ last: Int64) -> String { line(nil, #"{"Heartbeat":{"last_sequence":\#(last)}}"#) }

    /// A state that ends at 100.
    func state(_ ids: [String]) -> [String] {
        let lines = ids.enumerated().map { change($1, Int64($0) + 1, previous: Int64($0)) }
        let last = line(
            100, #"{"Heartbeat":{"last_sequence":100}}"#, previous: Int64(ids.count))
        return [line(0, #"{"Reset":{"state":true}}"#)] + lines + [last]
    }

    static func bye(_ reason: String) -> String { #"{"bye":{"reason":"\#(reason)"}}"# }
}
