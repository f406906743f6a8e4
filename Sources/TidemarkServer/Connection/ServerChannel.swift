import Hummingbird
import HummingbirdCore
import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Counts concurrent connections or exports.
final class ConnectionCount: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    /// Counts one more.
    ///
    /// - Returns: The count including the new one.
    func add() -> Int { count.add(1, ordering: .relaxed).newValue }

    func remove() { count.subtract(1, ordering: .relaxed) }
}

/// A connection. Its application side exists from the first request that is not for a stream.
struct ServerConnection: ServerChildChannelValue {
    let channel: any Channel
    /// The application side; nil when the connection serves a stream or ended early.
    let requests: EventLoopFuture<StreamSender.Requests?>
}

/// Builds the pipeline of a connection: encryption, byte count, parser, guard, stream sender, requests.
struct ServerChannel: ServerChildChannel, HTTPChannelHandler {
    let responder: HTTPChannelHandler.Responder
    let streams: StreamSender.Responder
    let limits: ServerLimits
    let connections: ConnectionCount
    let watches: ConnectionWatches
    let encryption: (any ConnectionEncryption)?

    /// How many connections past the limit get a 503 before they close; further ones are closed immediately.
    private static let refusedCountMax = 128
    /// The sizes of read buffers. A connection keeps its buffer, and most heads fit in the initial one.
    private static let readByteCounts = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1_024, maximum: 65_536)

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<ServerConnection> {
        channel.eventLoop.makeCompletedFuture {
            try encryption?.encrypt(channel)
            let count = connections.add()
            channel.closeFuture.whenComplete { [connections] _ in connections.remove() }
            if count > limits.connectionCountMax + ServerChannel.refusedCountMax { channel.close(promise: nil) }
            let refusal =
                count > limits.connectionCountMax
                ? Refusal(.overloaded, "there are \(limits.connectionCountMax) connections: try again later") : nil
            let connectionGuard = ConnectionGuard(
                limits: limits, refusal: refusal, watch: watches.watch(of: channel.eventLoop))
            var decoderLimits = NIOHTTPDecoderLimitConfiguration()
            decoderLimits.maxHeaderFieldSize = limits.headByteCountMax
            decoderLimits.maxHeaderListSize = limits.headByteCountMax
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(Bytes(of: connectionGuard))
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoderLimits)
            try pipeline.addHandler(connectionGuard)
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
            _ = channel.setOption(ChannelOptions.recvAllocator, value: ServerChannel.readByteCounts)
            #if os(Linux)
                // Detects a client that vanished, or that reads nothing, even while nothing can be written.
                _ = channel.setOption(
                    ChannelOptions.socket(SocketOptionLevel(IPPROTO_TCP), SocketOptionName(TCP_USER_TIMEOUT)),
                    value: SocketOptionValue(limits.sendTimeoutOption))
            #endif
            let opened = channel.eventLoop.makePromise(of: StreamSender.Requests?.self)
            do {
                try pipeline.addHandler(StreamSender(opened, respond: streams))
            } catch {
                opened.succeed(nil)
                throw error
            }
            return ServerConnection(channel: channel, requests: opened.futureResult)
        }
    }

    func handle(value: ServerConnection, logger: Logger) async {
        let requests = await withTaskCancellationHandler {
            do { return try await value.requests.get() } catch { return nil }
        } onCancel: {
            value.channel.close(promise: nil)
        }
        if let requests { await handleHTTP(asyncChannel: requests, logger: logger) }
    }
}
