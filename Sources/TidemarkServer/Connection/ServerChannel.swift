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

/// The connections of a server at a time.
final class ConnectionCount: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    /// - Returns: The number with the new one.
    func add() -> Int { count.add(1, ordering: .relaxed).newValue }

    func remove() { count.subtract(1, ordering: .relaxed) }
}

/// The pipeline of one connection: bytes, parser, guard, and the requests.
struct ServerChannel: ServerChildChannel, HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: HTTPChannelHandler.Responder
    let limits: ServerLimits
    let connections: ConnectionCount

    /// The connections beyond the limit that get an answer, and are not only closed.
    private static let refusedCountMax = 128
    /// The milliseconds without an acknowledgement after which a client counts as gone.
    private static let unacknowledgedTimeMax: Int32 = 15_000

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let count = connections.add()
            channel.closeFuture.whenComplete { _ in connections.remove() }
            if count > limits.connectionCountMax + ServerChannel.refusedCountMax { channel.close(promise: nil) }
            let refusal =
                count > limits.connectionCountMax
                ? Refusal(.overloaded, "there are \(limits.connectionCountMax) connections: try again later") : nil
            let connectionGuard = ConnectionGuard(limits: limits, refusal: refusal)
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
            #if os(Linux)
                // A client that is gone without a word is noticed by this, also while nothing can be written.
                _ = channel.setOption(
                    ChannelOptions.socket(SocketOptionLevel(IPPROTO_TCP), SocketOptionName(TCP_USER_TIMEOUT)),
                    value: SocketOptionValue(ServerChannel.unacknowledgedTimeMax))
            #endif
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    func handle(value: Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }
}
