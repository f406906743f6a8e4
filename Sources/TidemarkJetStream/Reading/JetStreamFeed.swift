import Logging
import Metrics
import Synchronization
import Tidemark
import TidemarkModel

/// Reads a JetStream stream into a cache until it is stopped or has caught up.
///
/// It reconnects by itself, and continues after the sequences that the cache has already applied.
///
/// ```swift
/// let feed = JetStreamFeed(try JetStreamAddress("nats://localhost/EVENTS"))
/// let reading = Task { try await feed.run(into: cache) }
/// // … until the program ends:
/// feed.stop()
/// try await reading.value
/// print("read up to message \(feed.progress.sequence)")
/// ```
///
/// - Source: Protocol/jetstream.md, reading.
public final class JetStreamFeed: Sendable {
    /// The recommended bound for a cache's unwritten payload bytes while it reads a stream: 16 MiB.
    public static let unwrittenByteCountMax = 16 << 20

    private let address: JetStreamAddress
    private let settings: ReadingSettings
    private let logger: Logger
    private let metrics: (any MetricsFactory)?
    /// The state that any thread may use, under the lock.
    private struct State {
        var input: JetStreamInput?
        var isStopped = false
        /// Notifies the cache of changes of the source's state, in order.
        var following: Task<Void, Never>?
        var signal: AsyncStream<SourceState>.Continuation?
    }

    private let state = Mutex(State())

    /// Creates a feed. It connects when ``run(into:)`` is called.
    ///
    /// - Parameters:
    ///   - address: The stream, and the libraries to read from it.
    ///   - settings: How events are numbered, where reading begins, and when it ends.
    ///   - logger: Logs lost and reconnected servers; its messages contain no credentials. Silent by default.
    ///   - metrics: The backend for lag, messages, redeliveries and reconnects; nil for the program's own.
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

    /// How far a stream was read.
    public struct Progress: Hashable, Sendable {
        /// The stream sequence of the last message read; 0 before the first.
        public var sequence: Int64
        /// How many messages are still unread, as last reported by the server.
        public var pendingCount: Int64
    }

    /// How far the stream was read; zeros before ``run(into:)`` has begun.
    public var progress: Progress {
        let position = state.withLock { $0.input }?.position ?? StreamReader.Position()
        return Progress(sequence: position.sequence, pendingCount: position.pendingCount)
    }

    /// Counts so far: messages, redeliveries, reconnects and others; zeros before ``run(into:)`` has begun.
    public var statistics: FeedStatistics { state.withLock { $0.input }?.statistics ?? FeedStatistics() }

    /// The error that ended the reading; nil if none did.
    public var failure: JetStreamError? { state.withLock { $0.input }?.failure }

    /// Stops reading; ``run(into:)`` returns after applying what was read. Call it from any thread, any number of
    /// times.
    public func stop() {
        let input = state.withLock { state in
            state.isStopped = true
            return state.input
        }
        input?.stop()
    }

    /// True once ``stop()`` was called.
    public var wasStopped: Bool { state.withLock { $0.isStopped } }

    /// Reads the stream into a cache. Returns after ``stop()``, or at the stream's end with
    /// ``ReadingSettings/endsCaughtUp``.
    ///
    /// - Throws: ``/Tidemark/InputError`` when no server or stream is found within
    ///   ``ReadingSettings/firstContactTimeout``, ``/Tidemark/StorageError`` when the cache cannot read or write its
    ///   database.
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

    /// Begins to read. The caller continues with the returned stream, and calls ``end()`` afterwards.
    package func begin(_ cache: SyncCache) async throws -> IngestStream {
        let (changes, signal) = AsyncStream.makeStream(of: SourceState.self, bufferingPolicy: .bufferingNewest(1))
        let input = JetStreamInput(
            address, settings, known: await cache.libraries(), logger: logger, metrics: metrics,
            follow: { signal.yield($0) })
        let isStopped = state.withLock { state in
            state.input = input
            state.following = Task {
                for await source in changes {
                    await cache.sourceBecame(reachable: source.isReachable)
                    await cache.sourceIsTraceless(source.tracelessEpoch)
                }
            }
            state.signal = signal
            return state.isStopped
        }
        if isStopped { input.stop() }
        let stream = try await IngestStream(of: input, into: cache)
        stream.readsAhead = true
        return stream
    }

    /// Ends the connection. Call it after the last line was read.
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
