import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Tidemark

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The last handler of a connection: responds to stream requests itself, and forwards all others to the application.
///
/// The connection's event loop writes the events of a stream, without a task. A task that writes one response holds 16
/// kB of stack frames while it waits, and each event costs a thread switch (measured: `make bench SUITE=serve`). A
/// connection whose first request is for a stream never gets an application side.
///
/// A stream request that arrives while an earlier response is incomplete is forwarded like any other.
final class StreamSender: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The application side of a connection.
    typealias Requests = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
    /// Decides how to answer a stream request.
    typealias Responder = @Sendable (HTTPRequest) async -> StreamAnswer

    private enum State {
        /// Forwarding requests to the application.
        case forwarding
        /// Waiting for the decision on a stream request.
        case opening
        case sending(any SentStream)
        case over
    }

    private let respond: Responder
    /// Completed with the application side at the first forwarded request, or with nil when there will be none.
    private var opened: EventLoopPromise<Requests?>?
    private var state = State.forwarding
    /// How many forwarded requests have no complete response yet.
    private var openCount = 0
    /// True while reading the rest of a request that is not forwarded.
    private var isDropping = false
    /// True if requests after a stream request were dropped.
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

    /// Releases the stream, which can then be resumed on another connection.
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
        return path == "/stream" || path.hasPrefix("/stream?") || path.hasPrefix("/scopes/")
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
                // The pipeline is gone, so nobody waits for the response.
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
        // Unstructured on purpose: it ends with the decision, and a connection has at most one.
        Task { [respond] in
            let answer = await respond(head)
            loop.execute { bound.value.begin(answer) }
        }
    }

    private func begin(_ answer: StreamAnswer) {
        // If the client has left in the meantime, the stream stays resumable.
        guard case .opening = state, let context else { return }
        // Set before writing the head, which carries `Connection: close`: a request after the refused one was dropped.
        if hasDropped, case .refusal = answer.body { context.triggerUserOutboundEvent(AnswerIsLast(), promise: nil) }
        context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
        switch answer.body {
        case .refusal(let bytes):
            state = .forwarding
            context.write(wrapOutboundOut(.body(ByteBuffer(bytes: bytes))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .stream(let stream):
            state = .sending(stream)
            opened?.succeed(nil)
            opened = nil
            limitSending(stream.sendTimeout, context)
            let beginning = stream.beginning
            if beginning.isEmpty {
                context.flush()
            } else {
                context.writeAndFlush(wrapOutboundOut(.body(ByteBuffer(bytes: beginning))), promise: nil)
            }
            pump()
        }
    }

    private func limitSending(_ timeout: Duration?, _ context: ChannelHandlerContext) {
        #if os(Linux)
            guard let timeout else { return }
            var limits = ServerLimits()
            limits.sendTimeout = timeout
            _ = context.channel.setOption(
                ChannelOptions.socket(SocketOptionLevel(IPPROTO_TCP), SocketOptionName(TCP_USER_TIMEOUT)),
                value: SocketOptionValue(limits.sendTimeoutOption))
        #endif
    }

    // MARK: Events

    /// Writes the stream's pending events until none is left or the client reads too slowly.
    private func pump() {
        // A write can make the channel writable again, which calls `pump` recursively; the loop below handles that
        // case.
        guard !isPumping, let context else { return }
        isPumping = true
        defer { isPumping = false }
        while context.channel.isWritable, case .sending(let stream) = state {
            switch stream.next(wake: wake(context)) {
            case .wait: return
            case .send(let text, let hasRoom):
                if hasRoom { Task { await stream.tellRoom() } }
                if !text.isEmpty {
                    context.writeAndFlush(wrapOutboundOut(.body(ByteBuffer(bytes: text))), promise: nil)
                }
            case .end(let text): end(text, context)
            case .cut: return cut(context)
            }
        }
        if case .sending(let stream) = state, !stream.watch(wake: wake(context)) { cut(context) }
    }

    private func wake(_ context: ChannelHandlerContext) -> @Sendable () -> Void {
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        return { [loop = context.eventLoop] in loop.execute { bound.value.pump() } }
    }

    private func cut(_ context: ChannelHandlerContext) {
        finish()
        context.close(promise: nil)
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

    /// True if the connection belongs to a stream.
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
