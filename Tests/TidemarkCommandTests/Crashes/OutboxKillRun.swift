import Foundation
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

#if canImport(Glibc)
    import Glibc
#endif

/// One database whose sessions are killed at random lines, with a server that goes on.
struct OutboxKillRun {
    struct Silence: Error {}

    private let path: String
    private var random: SeededGenerator
    private var server: LossyServer
    private var command: LiveCommand?
    private var editCount = 0
    private var requestCount = 0
    /// The edits whose update was answered: they are on the disk.
    private var answered: Set<Int> = []
    /// The edits by the id of their request.
    private var asked: [Int: Int] = [:]

    init(_ path: String, seed: UInt64) {
        self.path = path
        random = SeededGenerator(seed: seed)
        server = LossyServer(seed: seed &+ 1)
    }

    /// - Returns: The number of edits that the server performed, and everything that is wrong.
    mutating func play(killCount: Int) throws -> (count: Int, problems: [String]) {
        for _ in 0..<killCount {
            command = try start()
            asked = [:]
            for _ in 0..<1 + random.below(8) { edit() }
            for line in 0..<random.below(30) {
                if random.chance(150) { edit() }
                // The first line has to come; after the last one there is nothing to wait for.
                guard try takeLine(line == 0 ? command?.next() : command?.nextSoon(seconds: 0.5)) else { break }
            }
            command?.send(signal: SIGKILL)
            _ = command?.finish(seconds: 20)
            server.forgetConnection()
        }
        command = try start()
        asked = [:]
        server.isReliable = true
        while try result("optimistic.list", "{}") != #"{"pending":[]}"# {}
        var problems = server.problems
        let lost = answered.subtracting(server.log)
        if !lost.isEmpty { problems.append("\(lost.sorted()) were answered and never performed") }
        for (entity, number) in server.values.sorted(by: { $0.key < $1.key }) {
            let found = try result("entity.get", #"{"resource_type":"file","id":"f\#(entity)","fields":["n"]}"#)
            if !found.hasPrefix(#"{"entity":{"n":\#(number)},"pending":false"#) {
                problems.append("f\(entity) is \(found), not \(number)")
            }
        }
        if command?.finish(seconds: 20).status != 0 { problems.append("the session failed") }
        return (server.log.count, problems)
    }

    private func start() throws -> LiveCommand {
        try LiveCommand(["run", "--db", path, "--fetch-timeout", "0.1", "--log-level", "critical"])
    }

    private mutating func edit() {
        editCount += 1
        requestCount += 1
        asked[requestCount] = editCount
        let entity = random.below(LossyServer.entityCount)
        let resource = #"{"id":"f\#(entity)","n":\#(editCount)}"#
        let change = #"{"op":"put","resource_type":"file","resource":\#(resource)}"#
        write(
            #"{"jsonrpc":"2.0","id":\#(requestCount),"method":"optimistic.update","params":{"pending_id":"p\#(editCount)","#
                + #""changes":[\#(change)],"send":{"method":"put","input":[\#(entity),\#(editCount)],"key":"f\#(entity)"}}}"#
        )
    }

    /// Takes a line of the session.
    ///
    /// - Returns: false when none came.
    private mutating func takeLine(_ line: LiveCommand.Output?) throws -> Bool {
        guard case .line(let bytes)? = line else { return false }
        try take(try ReferenceJSONParser.parse(bytes))
        return true
    }

    private mutating func take(_ line: ReferenceJSON) throws {
        if line.member("method")?.text == Array("mutation.send".utf8) {
            for answer in server.answer(line) { write(answer) }
        } else if let id = line.member("id")?.written, let number = Int(String(decoding: id, as: UTF8.self)),
            line.member("result") != nil, let edit = asked[number]
        {
            answered.insert(edit)
        }
    }

    private mutating func result(_ method: String, _ params: String) throws -> String {
        requestCount += 1
        let id = Array("\(requestCount)".utf8)
        write(#"{"jsonrpc":"2.0","id":\#(requestCount),"method":"\#(method)","params":\#(params)}"#)
        while case .line(let bytes)? = command?.next(seconds: 60) {
            let line = try ReferenceJSONParser.parse(bytes)
            if line.member("id")?.written == id {
                return String(decoding: line.member("result")?.written ?? [], as: UTF8.self)
            }
            try take(line)
        }
        throw Silence()
    }

    private func write(_ line: String) { command?.write(Array((line + "\n").utf8)) }
}
