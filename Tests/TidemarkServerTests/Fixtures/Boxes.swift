import NIOHTTP1
import TidemarkSession

@testable import TidemarkServer

/// A stream's state that expectations may change.
final class StreamBox {
    private var state: StreamState

    init(_ limits: ServerLimits = ServerLimits()) { state = StreamState(limits: limits) }

    var byteCount: Int { state.byteCount }
    var end: StreamState.End? { state.end }

    func offer(_ line: [UInt8]) -> Bool { state.offer(line) }
    func append(late line: [UInt8]) { state.append(late: line) }
    func keepNewest(_ notification: KeptNotifications.Notification) { state.keepNewest(notification) }
    func limit(_ limits: ServerLimits) { state.limit(limits) }
    func attach(after last: Int64) -> Int? { state.attach(after: last) }
    func detach(_ connection: Int) -> Bool { state.detach(connection) }
    func step(_ connection: Int, byteCountMax: Int) -> StreamState.Step {
        state.step(connection, byteCountMax: byteCountMax)
    }
}

/// A connection's state that expectations may change.
final class ConnectionBox {
    private var state: ConnectionState

    init(_ refusal: Refusal? = nil) { state = ConnectionState(limits: ServerLimits(), refusal: refusal, now: 0) }

    var openCount: Int { state.openCount }
    var closesAfterAnswer: Bool { state.closesAfterAnswer }

    func receive(byteCount: Int, now: Int64) -> ConnectionState.Action {
        state.receive(byteCount: byteCount, now: now)
    }
    func parsed() -> ConnectionState.Action { state.parsed() }
    func receive(_ head: HTTPRequestHead, now: Int64) -> ConnectionState.Action { state.receive(head, now: now) }
    func receiveBody(now: Int64) -> ConnectionState.Action { state.receiveBody(now: now) }
    func receiveEnd(now: Int64) -> ConnectionState.Action { state.receiveEnd(now: now) }
    func wantsMore(now: Int64) { state.wantsMore(now: now) }
    func fail(_ refusal: Refusal) -> ConnectionState.Action { state.fail(refusal) }
    func answerIsLast() { state.answerIsLast() }
    func check(now: Int64) -> ConnectionState.Action { state.check(now: now) }
    func answered(now: Int64) -> ConnectionState.Next { state.answered(now: now) }
}
