import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// One connection by TLS to this machine that trusts ``Certificate`` alone. It blocks the calling thread.
final class TLSConnection {
    private let channel: any Channel
    private let received: Received

    /// The bytes that came.
    private final class Received: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let text = Mutex("")
        private let isOver = Mutex(false)

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let piece = String(buffer: unwrapInboundIn(data))
            text.withLock { $0 += piece }
        }

        func channelInactive(context: ChannelHandlerContext) { isOver.withLock { $0 = true } }

        var value: (text: String, isOver: Bool) { (text.withLock { $0 }, isOver.withLock { $0 }) }
    }

    /// - Parameter version: The only version that is spoken.
    init(port: Int, version: TLSVersion) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(Certificate.chain.utf8)))
        configuration.minimumTLSVersion = version
        configuration.maximumTLSVersion = version
        configuration.applicationProtocols = ["http/1.1"]
        let context = try NIOSSLContext(configuration: configuration)
        let received = Received()
        self.received = received
        channel = try ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLClientHandler(context: context, serverHostname: "localhost"), received,
                    ])
                }
            }
            .connect(host: "127.0.0.1", port: port).wait()
    }

    deinit { channel.close(promise: nil) }

    /// - Throws: The error of the handshake, when it fails.
    func write(_ text: String) throws { try channel.writeAndFlush(ByteBuffer(string: text)).wait() }

    /// Returns everything that came, once it has a text in it.
    ///
    /// - Throws: ``RawFailure`` when it does not come in time.
    func text(with part: String, seconds: Double = 20) throws -> String {
        let end = Date().addingTimeInterval(seconds)
        while true {
            let (text, isOver) = received.value
            if text.contains(part) { return text }
            guard !isOver, end > Date() else { throw RawFailure("\(part) did not come, but '\(text)'") }
            sched_yield()
        }
    }

    /// Whether the server closes the connection in time.
    func isClosed(within seconds: Double = 20) -> Bool {
        let end = Date().addingTimeInterval(seconds)
        while !received.value.isOver, end > Date() { sched_yield() }
        return received.value.isOver
    }
}
