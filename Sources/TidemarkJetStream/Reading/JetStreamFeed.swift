import Logging
import Metrics
import Synchronization
import Tidemark
import TidemarkModel

/// Feeds a cache from a stream, until it is stopped or has caught up.
///
/// ```swift
/// let feed = JetStreamFeed(try JetStreamAddress("nats://localhost/EVENTS"))
/// try await feed.run(into: cache)
/// ```
public final class JetStreamFeed: Sendable {
    /// The payload bytes that a cache should have unwritten at most while it reads a stream: 16 MiB.
    public static let unwrittenByteCountMax = 16 << 20

    private let address: JetStreamAddress
    private let settings: ReadingSettings
    private let logger: Logger
    private let metrics: (any MetricsFactory)?
    private struct State {
        var input: JetStreamInput?
        var isStopped = false
        /// Notifies the cache of reached and lost servers, in the order of the changes.
        var following: Task<Void, Never>?
        var signal: AsyncStream<Bool>.Continuation?
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - logger: Told of lost and found servers; its messages hold no credentials.
    ///   - metrics: The backend that gets lag, messages, redeliveries and reconnects; nil: the program's own.
    public init(
        _ address: JetStreamAddress, settings: ReadingSettings = ReadingSettings(),
        logger: Logger = Logger(label: "tidemark.jetstream") { _ in SwiftLogNoOpLogHandler() },
        metrics: (any MetricsFactory)? = nil
    ) {
        self.metrics = metrics
        self.address = address
        self.settings = settings
        self.logger = logger
    }

    /// The place up to which the stream was read.
    public struct Progress: Hashable, Sendable {
        /// The number of the last message that was read.
        public var sequence: Int64
        /// The messages that were not read yet, as the server said last.
        public var pendingCount: Int64
    }

    public var progress: Progress {
        let position = state.withLock { $0.input }?.position ?? StreamReader.Position()
        return Progress(sequence: position.sequence, pendingCount: position.pendingCount)
    }

    /// The numbers until now: messages, redeliveries, reconnects, lag.
    public var statistics: FeedStatistics { state.withLock { $0.input }?.statistics ?? FeedStatistics() }

    /// The error that ended the reading; nil when none did.
    public var failure: JetStreamError? { state.withLock { $0.input }?.failure }

    /// Ends ``run(into:)`` after what was read. May be called from any thread, any number of times.
    public func stop() {
        let input = state.withLock { state in
            state.isStopped = true
            return state.input
        }
        input?.stop()
    }

    /// Whether ``stop()`` ended the reading.
    public var wasStopped: Bool { state.withLock { $0.isStopped } }

    /// Reads the stream into a cache; returns when it was stopped, or has caught up where the settings say so.
    ///
    /// - Throws: ``InputError`` when no server or stream is found in the time of the settings, ``StorageError`` when
    ///   the cache cannot read or write.
    public func run(into cache: SyncCache) async throws {
        let stream = try await begin(cache)
        do {
            while try await stream.next() {}
        } catch {
            await end()
            throw error
        }
        await end()
        try await stream.finish()
    }

    /// Begins to read; the caller reads on with the stream, and ends with ``end()``.
    package func begin(_ cache: SyncCache) async throws -> IngestStream {
        let (reach, signal) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        let input = JetStreamInput(
            address, settings, known: await cache.libraries(), logger: logger, metrics: metrics,
            reachable: { signal.yield($0) })
        let isStopped = state.withLock { state in
            state.input = input
            state.following = Task {
                for await isReachable in reach { await cache.sourceBecame(reachable: isReachable) }
            }
            state.signal = signal
            return state.isStopped
        }
        if isStopped { input.stop() }
        let stream = try await IngestStream(of: input, into: cache)
        stream.readsAhead = true
        return stream
    }

    /// Ends the connection after the last line was read.
    package func end() async {
        let (input, following) = state.withLock { state in
            state.signal?.finish()
            return (state.input, state.following)
        }
        input?.stop()
        input?.close()
        await following?.value
    }
}
