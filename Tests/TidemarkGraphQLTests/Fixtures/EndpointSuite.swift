import Foundation
import Testing
import TidemarkTestKit
import TidemarkTesting

/// A suite that runs the built command beside a scripted endpoint.
protocol EndpointSuite {
    /// The folder of the database.
    var folder: TemporaryFolder { get }
}

extension EndpointSuite {
    func ok(_ body: String, type: String = "application/json", status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    func parts(_ payloads: [String], spec: String = "deferSpec=20220824", end: String = "\r\n-----\r\n")
        -> String
    {
        let body = payloads.map { "\r\n---\r\nContent-Type: application/json\r\n\r\n\($0)" }.joined() + end
        return
            "HTTP/1.1 200 OK\r\nContent-Type: multipart/mixed;boundary=\"-\";\(spec)\r\nConnection: close\r\n\r\n\(body)"
    }

    /// Runs a session that reads documents, one after another.
    func session(
        _ server: ScriptedServer, _ requests: [String], options: [String] = [], seconds: Double = 30
    ) throws -> (answers: [String], errors: String) {
        let live = try LiveCommand(
            ["run", "--db", folder.path("cache.db"), "--graphql-endpoint", "http://127.0.0.1:\(server.port)/graphql"]
                + options)
        var answers: [String] = []
        for request in requests {
            live.write(Array((request + "\n").utf8))
            waiting: while true {
                guard case .line(let line) = live.next(seconds: seconds) else {
                    Issue.record("no answer to \(request)")
                    break
                }
                let text = String(decoding: line, as: UTF8.self)
                guard text.hasPrefix(#"{"jsonrpc":"2.0","id":"#) else { continue }
                answers.append(text)
                break waiting
            }
        }
        let end = live.finish(seconds: seconds)
        answers += end.lines.map { String(decoding: $0, as: UTF8.self) }
        #expect(end.status == 0, "\(end.errors)")
        return (answers, end.errors)
    }

    func read(_ document: String, _ more: String = "", id: Int = 1) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"graphql.read","params":{"document":"\#(document)"\#(more)}}"#
    }

    static var hero: String { #"{"data":{"hero":{"__typename":"Droid","id":"1","name":"R2"}}}"# }

    /// Starts a session, sends it lines, and returns its lines up to one that contains a text.
    func lines(
        _ live: borrowing LiveCommand, _ requests: [String], until text: String
    ) throws -> [String] {
        for request in requests { live.write(Array((request + "\n").utf8)) }
        var lines: [String] = []
        while lines.last?.contains(text) != true {
            guard case .line(let line) = live.next(seconds: 60) else {
                Issue.record("no line with \(text), only \(lines)")
                break
            }
            lines.append(String(decoding: line, as: UTF8.self))
        }
        return lines
    }
}
