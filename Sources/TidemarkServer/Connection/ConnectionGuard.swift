import Hummingbird
import NIOCore
import NIOHTTP1

/// A route's event to its connection: the request was accepted and its body will be read.
struct BodyIsWanted: Sendable {}

/// An event to a connection: the current response is the last; later requests on it are not answered.
struct AnswerIsLast: Sendable {}

/// Guards one connection: enforces its deadlines, checks its framing, and answers malformed requests.
///
/// This handler comes right after the HTTP parser, before all others. ``Bytes`` comes before the parser and shares its
/// state.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    fileprivate var state: ConnectionState
    private let watch: ConnectionWatch
    private var awaitsContinue = false
    /// For each forwarded request without a complete response, oldest first: true if it is a HEAD. Bounded by the
    /// number of requests in one read.
    private var asksForHead: [Bool] = []
    /// How many bytes were read and dropped after the last response, before the connection closes.
    private var lingerByteCount = 0
    private var isLingering = false
    private var context: ChannelHandlerContext?

    /// How long the client may read the last response before the connection closes. Closing at once could discard the
    /// response.
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

    /// Enforces the connection's deadlines.
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

    /// Counts bytes dropped after the last response, and closes the connection when there are too many.
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
                // At the end of a chunked body the encoder would write a last chunk. A HEAD response has no body, so
                // the client would read that chunk as the start of the next response.
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

    /// Closes the sending side now and the whole connection soon.
    private func linger(_ context: ChannelHandlerContext) {
        guard !isLingering else { return }
        isLingering = true
        context.close(mode: .output, promise: nil)
        // Keep reading: the application may have stopped, and then nobody would notice when the client closes.
        context.read()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: ConnectionGuard.lingerTime) { bound.value.close(promise: nil) }
    }
}

/// The part of a connection's guard before the parser: counts bytes, and drops those after the last response.
final class Bytes: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Requests a `100 Continue`, which is not a response and bypasses the encoder.
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
