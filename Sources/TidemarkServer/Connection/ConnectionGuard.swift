import Hummingbird
import NIOCore
import NIOHTTP1

/// An event from a route to its connection: the request was accepted, and its body is wanted.
struct BodyIsWanted: Sendable {}

/// An event to a connection: it ends with the answer under way, and requests behind it are not answered.
struct AnswerIsLast: Sendable {}

/// The watcher of one connection: its times, its framing, and the answers to requests that never become one.
///
/// This handler is behind the parser of HTTP, before all others. ``Bytes`` is before the parser and shares its state.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    fileprivate var state: ConnectionState
    private let watch: ConnectionWatch
    private var awaitsContinue = false
    /// Whether each request that was passed on and is not answered is a HEAD, the oldest first. Bounded by the requests
    /// of the bytes that are read at once.
    private var asksForHead: [Bool] = []
    /// The bytes that are read and dropped after the last answer, before the connection is closed.
    private var lingerByteCount = 0
    private var isLingering = false
    private var context: ChannelHandlerContext?

    /// The time after the last answer in which the client may read it: closing at once could take it away.
    private static let lingerTime = TimeAmount.seconds(1)
    private static let lingerByteCountMax = 1 << 20

    init(limits: ServerLimits, refusal: Refusal?, watch: ConnectionWatch) {
        self.watch = watch
        state = ConnectionState(limits: limits, refusal: refusal, now: ConnectionGuard.now())
    }

    fileprivate static func now() -> Int64 { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000) }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        watch.add(self, context.eventLoop)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watch.remove(self)
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        watch.remove(self)
        context.fireChannelInactive()
    }

    /// Ends what is late.
    func check() {
        guard let context else { return }
        switch state.check(now: ConnectionGuard.now()) {
        case .pass: break
        case .drop: context.close(promise: nil)
        case .refuse(let refusal): write(refusal, context)
        case .failBody(let refusal): context.fireErrorCaught(refusal)
        }
    }

    // MARK: Input

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        let action =
            switch part {
            case .head(let head):
                state.receive(head, now: ConnectionGuard.now())
            case .body: state.receiveBody(now: ConnectionGuard.now())
            case .end: state.receiveEnd(now: ConnectionGuard.now())
            }
        switch action {
        case .pass:
            if case .head(let head) = part {
                asksForHead.append(head.method == .HEAD)
                awaitsContinue = head.headers["Expect"].first?.lowercased() == "100-continue"
            }
            context.fireChannelRead(data)
        case .drop: break
        case .refuse(let refusal): write(refusal, context)
        case .failBody(let refusal): context.fireErrorCaught(refusal)
        }
    }

    func read(context: ChannelHandlerContext) {
        state.wantsMore(now: ConnectionGuard.now())
        context.read()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let fault = error as? HTTPParserError else { return context.fireErrorCaught(error) }
        let refusal =
            fault == .headerOverflow
            ? Refusal(.headTooLarge, "the head is too large: send less")
            : Refusal(.badRequest, "the request is not HTTP/1.1 (\(fault)): nothing of it was performed")
        perform(state.fail(refusal), context)
    }

    fileprivate func perform(_ action: ConnectionState.Action, _ context: ChannelHandlerContext) {
        switch action {
        case .pass, .drop: break
        case .refuse(let refusal): write(refusal, context)
        case .failBody(let refusal): context.fireErrorCaught(refusal)
        }
    }

    /// Drops bytes that come after the last answer.
    fileprivate func dropped(byteCount: Int) {
        lingerByteCount += byteCount
        if lingerByteCount > ConnectionGuard.lingerByteCountMax { context?.close(promise: nil) }
    }

    fileprivate func parsed() {
        if let context { perform(state.parsed(), context) }
    }

    // MARK: Output

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        if isLingering {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch part {
        case .head(var head) where state.closesAfterAnswer:
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body where asksForHead.first == true: promise?.succeed(())
        case .head, .body:
            context.write(data, promise: promise)
        case .end:
            awaitsContinue = false
            if !asksForHead.isEmpty, asksForHead.removeFirst() {
                // The encoder would end a body in chunks here, and a HEAD has none: the client would take its last
                // chunk for the next answer.
                context.flush()
                promise?.succeed(())
            } else {
                context.writeAndFlush(data, promise: promise)
            }
            switch state.answered(now: ConnectionGuard.now()) {
            case .goOn: break
            case .refuse(let refusal): write(refusal, context)
            case .close: linger(context)
            }
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        switch event {
        case is BodyIsWanted:
            if awaitsContinue, !isLingering {
                awaitsContinue = false
                context.triggerUserOutboundEvent(Bytes.Continue(), promise: nil)
            }
        case is AnswerIsLast: state.answerIsLast()
        default: return context.triggerUserOutboundEvent(event, promise: promise)
        }
        promise?.succeed(())
    }

    private func write(_ refusal: Refusal, _ context: ChannelHandlerContext) {
        guard !isLingering else { return }
        var head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: refusal.status.code))
        for field in ServerFields.common { head.headers.add(name: field.name.rawName, value: field.value) }
        for field in refusal.fields { head.headers.add(name: field.name.rawName, value: field.value) }
        head.headers.add(name: "Content-Length", value: String(refusal.body.count))
        head.headers.add(name: "Connection", value: "close")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if asksForHead.first != true {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: refusal.body)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        linger(context)
    }

    /// Ends the sending side, and soon all of the connection.
    private func linger(_ context: ChannelHandlerContext) {
        guard !isLingering else { return }
        isLingering = true
        context.close(mode: .output, promise: nil)
        // The program's side may not read any more, and then nothing would tell when the client is done.
        context.read()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: ConnectionGuard.lingerTime) { bound.value.close(promise: nil) }
    }
}

/// The part of a connection's guard before the parser: it counts bytes, and drops those after the last answer.
final class Bytes: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// An event that asks for `100 Continue`, which is no answer and passes the encoder.
    struct Continue: Sendable {}

    private let owner: ConnectionGuard

    init(of owner: ConnectionGuard) {
        self.owner = owner
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let byteCount = unwrapInboundIn(data).readableBytes
        guard owner.state.receive(byteCount: byteCount, now: ConnectionGuard.now()) != .drop else {
            return owner.dropped(byteCount: byteCount)
        }
        context.fireChannelRead(data)
        owner.parsed()
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is Continue else { return context.triggerUserOutboundEvent(event, promise: promise) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: promise)
    }
}
