import NIOHTTP1
import TestTraits
import Testing

@testable import TidemarkServer

/// The times and the framing of one connection, as a value.
@Suite(.pooled) struct ConnectionStateTests {
    private func head(_ fields: [(String, String)] = [("Host", "a")]) -> HTTPRequestHead {
        HTTPRequestHead(version: .http1_1, method: .POST, uri: "/", headers: HTTPHeaders(fields))
    }

    private func code(_ action: ConnectionState.Action) -> Refusal.Code? {
        switch action {
        case .refuse(let refusal), .failBody(let refusal): refusal.code
        case .pass, .drop: nil
        }
    }

    @Test func `a head that is not complete in time is refused`() {
        let state = ConnectionBox()
        #expect(state.check(now: 9_999) == .pass)
        #expect(code(state.check(now: 10_000)) == .timedOut)
        #expect(state.receive(byteCount: 1, now: 10_001) == .drop)
    }

    @Test func `each byte of a head does not give it more time`() {
        let state = ConnectionBox()
        for second in 1...9 { #expect(state.receive(byteCount: 1, now: Int64(second) * 1_000) == .pass) }
        #expect(code(state.check(now: 10_000)) == .timedOut)
    }

    @Test func `a head past the limit is refused before it ends`() {
        let state = ConnectionBox()
        #expect(state.receive(byteCount: 16 << 10, now: 0) == .pass)
        #expect(state.parsed() == .pass)
        #expect(state.receive(byteCount: 1, now: 0) == .pass)
        #expect(code(state.parsed()) == .headTooLarge)
    }

    @Test func `a body is late only while somebody reads it`() {
        let state = ConnectionBox()
        #expect(state.receive(head(), now: 0) == .pass)
        #expect(state.receiveBody(now: 1) == .pass)
        // The cache is busy: the client is not to blame.
        #expect(state.check(now: 100_000) == .pass)
        state.wantsMore(now: 100_000)
        #expect(state.check(now: 129_999) == .pass)
        #expect(code(state.check(now: 130_000)) == .timedOut)
    }

    @Test func `an idle connection is closed without a word`() {
        let state = ConnectionBox()
        #expect(state.receive(head(), now: 0) == .pass)
        #expect(state.receiveEnd(now: 1) == .pass)
        #expect(state.check(now: 200_000) == .pass)
        #expect(state.answered(now: 200_000) == .goOn)
        #expect(state.check(now: 274_999) == .pass)
        #expect(state.check(now: 275_000) == .drop)
    }

    @Test func `a refusal waits for the answers to earlier requests`() {
        let state = ConnectionBox()
        #expect(state.receive(head(), now: 0) == .pass)
        #expect(state.receiveEnd(now: 0) == .pass)
        let refusal = Refusal(.badRequest, "broken")
        #expect(state.fail(refusal) == .drop)
        #expect(state.answered(now: 1) == .refuse(refusal))
    }

    @Test func `nothing behind a refused request is one`() {
        let state = ConnectionBox()
        #expect(code(state.receive(head([]), now: 0)) == .badRequest)
        #expect(state.receive(head(), now: 0) == .drop)
        #expect(state.receiveBody(now: 0) == .drop)
        #expect(state.receiveEnd(now: 0) == .drop)
        #expect(state.fail(Refusal(.badRequest, "x")) == .drop)
        #expect(state.openCount == 0)
    }

    @Test func `the answer to an unfinished request is the last`() {
        let state = ConnectionBox()
        #expect(state.receive(head(), now: 0) == .pass)
        #expect(state.closesAfterAnswer)
        #expect(state.answered(now: 1) == .close)
        #expect(state.receiveBody(now: 2) == .drop)
    }

    @Test func `the last answer ends the connection, whatever was asked behind it`() {
        let state = ConnectionBox()
        for _ in 0..<3 {
            #expect(state.receive(head(), now: 0) == .pass)
            #expect(state.receiveEnd(now: 0) == .pass)
        }
        #expect(state.fail(Refusal(.badRequest, "x")) == .drop)
        state.answerIsLast()
        #expect(state.closesAfterAnswer)
        #expect(state.answered(now: 1) == .close)
        #expect(state.receive(byteCount: 1, now: 2) == .drop)
    }

    @Test func `a broken body is told to its reader`() {
        let state = ConnectionBox()
        #expect(state.receive(head(), now: 0) == .pass)
        #expect(state.fail(Refusal(.badRequest, "x")) == .failBody(Refusal(.badRequest, "x")))
        #expect(state.closesAfterAnswer)
    }

    @Test func `a connection too many is refused at its first request`() {
        let state = ConnectionBox(Refusal(.overloaded, "x"))
        #expect(state.receive(byteCount: 10, now: 0) == .pass)
        #expect(code(state.receive(head(), now: 0)) == .overloaded)
    }

    @Test(
        arguments: [
            [], [("Host", "a"), ("Host", "a")], [("Host", "")],
            [("Host", "a"), ("Content-Length", "1"), ("Transfer-Encoding", "chunked")],
            [("Host", "a"), ("Content-Length", "1"), ("Content-Length", "1")],
            [("Host", "a"), ("Content-Length", "1, 1")],
            [("Host", "a"), ("Transfer-Encoding", "gzip, chunked")],
            [("Host", "a"), ("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
            [("Host", "a"), ("Upgrade", "websocket")],
        ] as [[(String, String)]])
    func `a head of two readings is refused`(fields: [(String, String)]) {
        #expect(HeadFault.fault(in: head(fields), byteCountMax: 1_000)?.code == .badRequest)
    }

    @Test func `a usual head has no fault`() {
        #expect(HeadFault.fault(in: head([("Host", "a"), ("Transfer-Encoding", "Chunked")]), byteCountMax: 100) == nil)
        #expect(HeadFault.fault(in: head([("Host", "a"), ("Content-Length", "10")]), byteCountMax: 100) == nil)
        let absolute = HTTPRequestHead(version: .http1_1, method: .GET, uri: "http://a/", headers: ["Host": "a"])
        #expect(HeadFault.fault(in: absolute, byteCountMax: 100)?.code == .badRequest)
        #expect(HeadFault.fault(in: head(), byteCountMax: 4)?.code == .headTooLarge)
    }
}
