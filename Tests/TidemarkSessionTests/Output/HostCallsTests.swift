import Logging
import TestTraits
import Testing
import Tidemark
import TidemarkJSON
import TidemarkModel
import TidemarkStore
import TidemarkMessages
import TidemarkTesting

@testable import TidemarkSession

/// Requests to the host: answers, errors, timeouts, ends.
@Suite(.pooled) struct HostCallsTests {
    private let pipe = PipeLines()
    private let clock = ManualClock()

    private func make(timeout: Int64 = 1_000) -> (calls: HostCalls, outputQueue: OutputQueue) {
        let outputQueue = OutputQueue(pipe.writeEnd, hasRoom: {}, isAbandoned: {})
        return (
            HostCalls(outputQueue, timeout: .milliseconds(timeout), clock: clock, logger: Logger(label: "test")),
            outputQueue
        )
    }

    private func json(_ text: String) -> JSONSlice { JSONSlice(validated: Array(text.utf8)[...]) }

    /// Returns the result of a call in one line.
    private func result(_ call: () async throws(UpstreamError) -> JSONSlice) async -> String {
        do throws(UpstreamError) {
            return String(decoding: try await call().bytes, as: UTF8.self)
        } catch {
            return "\(error.isFinal ? "final" : "again"): \(error.message)"
        }
    }

    @Test func `a call is one line, and returns its answer`() async {
        let (calls, _) = make()
        var lines = pipe.lines().makeAsyncIterator()
        async let first = result { () throws(UpstreamError) in try await calls.call("a.b") { $0.member("n", 1) } }
        #expect(await lines.next() == #"{"jsonrpc":"2.0","id":"tm-1","method":"a.b","params":{"n":1}}"#)
        calls.answer(.result(json("[1, 2]")), to: "tm-1")
        #expect(await first == "[1,2]")
        async let second = result { () throws(UpstreamError) in try await calls.call("a.b") { _ in } }
        #expect(await lines.next() == #"{"jsonrpc":"2.0","id":"tm-2","method":"a.b","params":{}}"#)
        // These answers are late, repeated, or belong to no call.
        for id in ["tm-1", "tm-3", "tm-", "x", "tm-02 "] as [ByteString] { calls.answer(.result(json("9")), to: id) }
        calls.answer(.result(json("9")), to: nil)
        #expect(calls.count == 1)
        calls.answer(.error(code: 12, message: "busy"), to: "tm-2")
        #expect(await second == "again: the host says: busy")
        async let third = result { () throws(UpstreamError) in try await calls.call("a.b") { _ in } }
        _ = await lines.next()
        calls.answer(.error(code: -32_601, message: "no such method"), to: "tm-3")
        #expect(await third == "final: the host says: no such method")
        #expect(calls.count == 0)
    }

    @Test func `a host that does not answer in time fails the call`() async {
        let (calls, _) = make(timeout: 500)
        async let call = result { () throws(UpstreamError) in try await calls.call("slow") { _ in } }
        #expect(await eventually { clock.sleeperCount == 1 })
        clock.advance(milliseconds: 499)
        for _ in 0..<100 { await Task.yield() }
        #expect(calls.count == 1)
        clock.advance(milliseconds: 1)
        #expect(await call == "again: the host did not answer slow in 500 ms")
        calls.answer(.result(json("1")), to: "tm-1")
        #expect(calls.count == 0)
    }

    @Test func `a call that timed out before the host read it is never written`() async {
        let (calls, outputQueue) = make(timeout: 500)
        outputQueue.append(answer: [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20) + [0x0A])
        async let call = result { () throws(UpstreamError) in try await calls.call("slow") { _ in } }
        #expect(await eventually { clock.sleeperCount == 1 })
        clock.advance(milliseconds: 500)
        _ = await call
        outputQueue.append(answer: Array("end\n".utf8))
        var lines = pipe.lines().makeAsyncIterator()
        _ = await lines.next()
        #expect(await lines.next() == "end")
    }

    @Test func `answered calls leave no timer`() async {
        let (calls, _) = make()
        var lines = pipe.lines().makeAsyncIterator()
        async let call = result { () throws(UpstreamError) in try await calls.call("a") { _ in } }
        _ = await lines.next()
        #expect(await eventually { clock.sleeperCount == 1 })
        calls.answer(.result(json("1")), to: "tm-1")
        _ = await call
        #expect(await eventually { clock.sleeperCount == 0 })
    }

    @Test func `a cancelled caller stops waiting`() async {
        let (calls, _) = make()
        let call = Task { await result { () throws(UpstreamError) in try await calls.call("a") { _ in } } }
        #expect(await eventually { calls.count == 1 })
        call.cancel()
        #expect(await call.value == "again: no caller waits for the answer any more")
        #expect(calls.count == 0)
    }

    @Test func `the end of the session fails every call, and later ones`() async {
        let (calls, _) = make()
        async let first = result { () throws(UpstreamError) in try await calls.call("a") { _ in } }
        #expect(await eventually { calls.count == 1 })
        calls.close()
        let wanted = "final: the session ends: the host cannot answer any more"
        #expect(await first == wanted)
        calls.accept()
        #expect(await result { () throws(UpstreamError) in try await calls.call("a") { _ in } } == wanted)
    }

    @Test func `calls past the limit fail`() async {
        let (calls, _) = make()
        let lines = pipe.lines()
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<HostCalls.countMax {
                group.addTask { await self.result { () throws(UpstreamError) in try await calls.call("a") { _ in } } }
            }
            #expect(await eventually { calls.count == HostCalls.countMax })
            let refused = await result { () throws(UpstreamError) in try await calls.call("a") { _ in } }
            #expect(refused == "again: 1000 requests wait for the host's answer: it must answer some first")
            for number in 1...HostCalls.countMax + 1 {
                calls.answer(.result(json("1")), to: ByteString("tm-\(number)"))
            }
            for await result in group { #expect(result == "1") }
        }
        withExtendedLifetime(lines) {}
    }

    @Test(arguments: [
        (#"{"events":[]}"#, "- []"),
        (#"{"events":[{"a":"\u2028"}, 7],"covered_through":9}"#, "9 [{\"a\":\"\\u2028\"}\n7\n]"),
        (#"{"events":[],"covered_through":null}"#, "- []"), (#"17"#, "refused"), (#"{}"#, "refused"),
        (#"{"events":{}}"#, "refused"), (#"{"events":[],"covered_through":-1}"#, "refused"),
        (#"{"events":[],"covered_through":"9"}"#, "refused"),
    ])
    func `events of the host become lines`(_ answer: String, _ wanted: String) async {
        let (calls, _) = make()
        let upstream = HostUpstream(calls, limits: Limits())
        var lines = pipe.lines().makeAsyncIterator()
        async let found: String = {
            do throws(UpstreamError) {
                let answer = try await upstream.events(since: EventSequence(4), of: "l")
                let covered = answer.coveredThrough.map { "\($0.rawValue)" } ?? "-"
                return "\(covered) [\(String(decoding: answer.lines, as: UTF8.self))]"
            } catch {
                return error.isFinal ? "final" : "refused"
            }
        }()
        #expect(
            await lines.next()
                == #"{"jsonrpc":"2.0","id":"tm-1","method":"events.since.v1","params":{"library_id":"l","sequence":4}}"#
        )
        calls.answer(.result(json(answer)), to: "tm-1")
        #expect(await found == wanted)
    }

    @Test func `a query is asked for by its canonical input`() async throws {
        let (calls, _) = make()
        let upstream = HostUpstream(calls, limits: Limits())
        var lines = pipe.lines().makeAsyncIterator()
        let key = try QueryKey(library: "l", method: "m", input: Array(#"{"b":1, "a":[ 1.0 ]}"#.utf8))
        async let found = upstream.fetch(key)
        #expect(
            await lines.next()
                == #"{"jsonrpc":"2.0","id":"tm-1","method":"query.fetch","params":{"method":"m","input":{"a":[1.0],"b":1},"library_id":"l"}}"#
        )
        calls.answer(.result(json(#"{"resource_type":"file","resources":[{"id": 1}],"as_of":7}"#)), to: "tm-1")
        var wanted = QueryResult(resourceType: "file", resources: [Array(#"{"id":1}"#.utf8)])
        wanted.asOf = EventSequence(7)
        #expect(try await found == wanted)
    }
}
