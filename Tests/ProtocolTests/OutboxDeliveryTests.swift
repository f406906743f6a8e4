import Foundation
import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

/// Fifty edits made offline by a session that is killed, and a server that fails every third request and doubles every
/// fifth answer.
@Suite(.pooled, .tags(.process)) struct OutboxDeliveryTests {
    @Test(arguments: [1, 5]) func `each edit is performed once, in the order of its key, and none is left`(
        keyCount: Int
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let log = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try Self.deliver(path, keyCount: keyCount) })
            }
        }
        #expect(log.count == 50)
        #expect(Set(log).count == 50)
        for key in 0..<keyCount {
            let own = log.filter { $0 % keyCount == key }
            #expect(own == own.sorted())
        }
    }

    /// - Returns: The numbers of the edits in the order in which the server performed them.
    private static func deliver(_ path: String, keyCount: Int) throws -> [Int] {
        var host = try OutboxHost(path)
        for number in 0..<50 {
            try host.request(
                "optimistic.update",
                #"{"pending_id":"p\#(number)","changes":[{"op":"put","resource_type":"file","resource":{"id":"f\#(number)"}}],"#
                    + #""send":{"method":"files.create","input":{"n":\#(number)},"key":"k\#(number % keyCount)"}}"#)
        }
        host.command.send(signal: SIGKILL)
        _ = host.command.finish(seconds: 20)
        var server = FlakyServer()
        host = try OutboxHost(path)
        while server.log.count < 50 { try host.step(&server) }
        while try host.request("optimistic.list", "{}", server: &server) != #"{"pending":[]}"# {}
        #expect(try host.request("outbox.list", "{}", server: &server) == #"{"outbox":[]}"#)
        #expect(server.failureCount >= 24)
        #expect(server.doubledCount >= 9)
        #expect(host.command.finish(seconds: 20).status == 0)
        return server.log
    }
}

/// A server that knows each mutation by its pending id: every third request fails, half of them after the mutation was
/// performed, and every fifth answer is sent twice.
private struct FlakyServer {
    private(set) var log: [Int] = []
    private var requestCount = 0
    private var answerCount = 0
    private var performed: Set<[UInt8]> = []
    private(set) var failureCount = 0
    private(set) var doubledCount = 0

    /// Returns the lines that answer a call.
    mutating func answer(_ call: ReferenceJSON) -> [String] {
        let id = String(decoding: call.member("id")?.written ?? [], as: UTF8.self)
        let params = call.member("params")
        requestCount += 1
        let fails = requestCount % 3 == 0
        if !fails || requestCount % 2 == 0, let name = params?.member("pending_id")?.text,
            performed.insert(name).inserted, let number = Int(String(decoding: name.dropFirst(), as: UTF8.self))
        {
            log.append(number)
        }
        if fails {
            failureCount += 1
            return [#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":1,"message":"busy","data":{"retry":true}}}"#]
        }
        answerCount += 1
        let line = #"{"jsonrpc":"2.0","id":\#(id),"result":{"confirmed":[]}}"#
        guard answerCount % 5 == 0 else { return [line] }
        doubledCount += 1
        return [line, line]
    }
}

/// The host's end of a session.
private struct OutboxHost {
    struct Silence: Error {}

    let command: LiveCommand
    private var requestCount = 0

    init(_ path: String) throws {
        command = try LiveCommand(["run", "--db", path, "--log-level", "critical"])
    }

    /// Sends a request and returns its result. Calls to the server stay without an answer: it is not reachable.
    @discardableResult
    mutating func request(_ method: String, _ params: String) throws -> String {
        requestCount += 1
        write(#"{"jsonrpc":"2.0","id":\#(requestCount),"method":"\#(method)","params":\#(params)}"#)
        while true {
            let line = try next()
            if line.member("id")?.written == Array("\(requestCount)".utf8) {
                return String(decoding: line.member("result")?.written ?? [], as: UTF8.self)
            }
        }
    }

    /// Sends a request, and lets the server answer calls until the result comes.
    mutating func request(_ method: String, _ params: String, server: inout FlakyServer) throws -> String {
        requestCount += 1
        write(#"{"jsonrpc":"2.0","id":\#(requestCount),"method":"\#(method)","params":\#(params)}"#)
        while true {
            let line = try next()
            if line.member("id")?.written == Array("\(requestCount)".utf8) {
                return String(decoding: line.member("result")?.written ?? [], as: UTF8.self)
            }
            take(line, &server)
        }
    }

    /// Lets the server answer the next line, if it is a call.
    func step(_ server: inout FlakyServer) throws { take(try next(), &server) }

    private func take(_ line: ReferenceJSON, _ server: inout FlakyServer) {
        guard line.member("method")?.text == Array("mutation.send".utf8) else { return }
        for answer in server.answer(line) { write(answer) }
    }

    private func next() throws -> ReferenceJSON {
        guard case .line(let bytes) = command.next(seconds: 60) else { throw Silence() }
        return try ReferenceJSONParser.parse(bytes)
    }

    private func write(_ line: String) { command.write(Array((line + "\n").utf8)) }
}
