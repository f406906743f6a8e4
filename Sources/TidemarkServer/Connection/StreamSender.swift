import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Tidemark

/// The last handler of a connection: it answers requests for a stream itself, and passes all others to the program's
/// side.
///
/// The events of a stream are written by the connection's event loop, without a task: a task that writes one answer
/// costs 16 kB of frames while it waits, and each event a change of threads (measured: `make bench SUITE=serve`). A
/// connection whose first request is for a stream never gets a side of tasks at all.
///
/// A request for a stream behind another one whose answer is not complete is passed on like all others.
final class StreamSender: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The program's side of a connection.
    typealias Requests = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
    /// Decides about a request for a stream.
    typealias Responder = @Sendable (HTTPRequest) async -> StreamAnswer

    private enum State {
        /// Requests are passed on.
        case forwarding
        /// Whether the client gets a stream is being decided.
        case opening
        case sending(StreamHub.Lease, LiveCache)
        case over
    }

    private let respond: Responder
    /// Completed with the first request that is passed on, or with nil when there will be none.
    private var opened: EventLoopPromise<Requests?>?
    private var state = State.forwarding
    /// The requests that were passed on and whose answer is not complete.
    private var openCount = 0
    /// Whether parts of a request are read that is not passed on.
    private var isDropping = false
    /// Whether requests were dropped that came behind one for a stream.
    private var hasDropped = false
    private var isPumping = false
    private var context: ChannelHandlerContext?

    init(_ opened: EventLoopPromise<Requests?>, respond: @escaping Responder) {
        self.opened = opened
        self.respond = respond
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish()
        context.fireChannelInactive()
    }

    /// Lets go of the stream, which may be resumed on another connection.
    private func finish() {
        state = .over
        opened?.succeed(nil)
        opened = nil
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .forwarding):
            isDropping = false
            if openCount == 0, StreamSender.asksForStream(head) { return open(head, context) }
            openCount += 1
            pass(data, context)
        case (.head, _): hasDropped = true
        case (_, .forwarding) where !isDropping: context.fireChannelRead(data)
        case (.body, _), (.end, _): break
        }
    }

    private static func asksForStream(_ head: HTTPRequest) -> Bool {
        guard head.method == .get, let path = head.path else { return false }
        return path == "/stream" || path.hasPrefix("/stream?")
    }

    private func pass(_ data: NIOAny, _ context: ChannelHandlerContext) {
        if let opened {
            self.opened = nil
            do {
                opened.succeed(
                    try Requests(
                        wrappingChannelSynchronously: context.channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true)))
            } catch {
                // The pipeline is gone, and with it whoever asked.
                opened.succeed(nil)
                return context.close(promise: nil)
            }
        }
        context.fireChannelRead(data)
    }

    private func open(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
        state = .opening
        isDropping = true
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let loop = context.eventLoop
        // Kept by nobody: it ends with the decision, and each connection has at most one.
        Task { [respond] in
            let answer = await respond(head)
            loop.execute { bound.value.begin(answer) }
        }
    }

    private func begin(_ answer: StreamAnswer) {
        // A client that is gone meanwhile leaves a stream that may be resumed.
        guard case .opening = state, let context else { return }
        // Before the head, which says so: a request behind a refused one for a stream was dropped.
        if hasDropped, case .refusal = answer.body { context.triggerUserOutboundEvent(AnswerIsLast(), promise: nil) }
        context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
        switch answer.body {
        case .refusal(let bytes):
            state = .forwarding
            context.write(wrapOutboundOut(.body(ByteBuffer(bytes: bytes))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .stream(let lease, let live):
            state = .sending(lease, live)
            opened?.succeed(nil)
            opened = nil
            let hello = ByteBuffer(bytes: EventText.beginning(of: lease.connected))
            context.writeAndFlush(wrapOutboundOut(.body(hello)), promise: nil)
            pump()
        }
    }

    // MARK: Events

    /// Writes what the stream has, until it has nothing or the client reads too slowly.
    private func pump() {
        // A write can make the channel writable again, which calls this: the loop below goes on.
        guard !isPumping, let context else { return }
        isPumping = true
        defer { isPumping = false }
        while context.channel.isWritable, case .sending(let lease, let live) = state {
            switch lease.connected.stream.nextStep(lease.connected.connection, wake: wake(context)) {
            case .wait: return
            case .send(let text, let hasRoom):
                if hasRoom { Task { await live.cache.resume(lease.connected.stream) } }
                context.writeAndFlush(wrapOutboundOut(.body(ByteBuffer(bytes: text))), promise: nil)
            case .replaced: end([], context)
            case .end(let end): self.end(EventText.ending(end, of: lease.connected.stream), context)
            }
        }
    }

    private func wake(_ context: ChannelHandlerContext) -> @Sendable () -> Void {
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        return { [loop = context.eventLoop] in loop.execute { bound.value.pump() } }
    }

    private func end(_ text: [UInt8], _ context: ChannelHandlerContext) {
        state = .over
        context.triggerUserOutboundEvent(AnswerIsLast(), promise: nil)
        if !text.isEmpty { context.write(wrapOutboundOut(.body(ByteBuffer(bytes: text))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        pump()
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed, isOwn {
            finish()
            return context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard isOwn else { return context.fireErrorCaught(error) }
        finish()
        context.close(promise: nil)
    }

    /// Whether the connection belongs to a stream.
    private var isOwn: Bool {
        switch state {
        case .opening, .sending: true
        case .forwarding, .over: false
        }
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { openCount -= 1 }
        context.write(data, promise: promise)
    }
}
