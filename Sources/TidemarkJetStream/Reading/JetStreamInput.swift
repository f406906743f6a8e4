import Dispatch
import Logging
import Metrics
import Synchronization
import Tidemark
import TidemarkModel

/// A stream as an input of event lines. The engine reads it like a pipe, as much at a time as it can take.
///
/// A read may block, on the reader's queue. Only a few requests of ``PullConsumer/requestByteCountMax`` bytes are
/// fetched ahead of the engine.
///
/// - Source: Protocol/jetstream.md, reading.
package final class JetStreamInput: LineInput {
    /// The state that only the reading thread uses.
    private struct Work {
        var reader: StreamReader
        /// The lines that the engine has not read yet.
        var lines = StreamLines()
        /// True once a server and the stream were found.
        var hadContact = false
        let beganAt = ContinuousClock.now
        /// Since when no server has been connected; nil while one is.
        var lostSince: ContinuousClock.Instant?
        var pause: Int64 = 0
        var errorCount: Int64 = 0
        var metrics: FeedMetrics
    }

    /// The state that other threads read.
    private struct Shown {
        var position = StreamReader.Position()
        var statistics = FeedStatistics()
        /// True if there are unread lines, or received messages that are not lines yet.
        var hasLines = false
        var subscription: NatsSubscription?
        var source = SourceState()
        var failure: JetStreamError?
    }

    private let settings: ReadingSettings
    private let work: Mutex<Work>
    private let shown = Mutex(Shown())
    private let isStopped = Atomic(false)
    private let stopping = DispatchSemaphore(value: 0)
    private let logger: Logger
    private let follow: @Sendable (SourceState) -> Void

    /// The longest wait for messages before other work is checked, in milliseconds: 100.
    private static let lookInterval: Int64 = 100
    /// How long no server may be connected before the cache treats its libraries as cut off.
    private static let patience = Duration.seconds(5)
    /// The longest pause between two attempts, in milliseconds. Pauses begin at 50 ms and double.
    private static let pauseMax: Int64 = 2_000

    /// Creates an input, which connects at the first read.
    ///
    /// - Parameters:
    ///   - known: The libraries that the cache has, with their cursors.
    ///   - metrics: The metrics backend; nil for the program's own.
    ///   - follow: Called with each new state of the source, from the reading thread.
    package init(
        _ address: JetStreamAddress, _ settings: ReadingSettings, known: [LibraryStatus], logger: Logger,
        metrics: (any MetricsFactory)? = nil, follow: @escaping @Sendable (SourceState) -> Void
    ) {
        self.settings = settings
        self.logger = logger
        self.follow = follow
        work = Mutex(
            Work(
                reader: StreamReader(address, settings, known: known),
                metrics: FeedMetrics(stream: address.stream, factory: metrics)))
    }

    /// The error that ended the reading; nil if none did.
    var failure: JetStreamError? { shown.withLock { $0.failure } }

    /// How far the stream was read.
    var position: StreamReader.Position { shown.withLock { $0.position } }

    /// Counts so far.
    var statistics: FeedStatistics { shown.withLock { $0.statistics } }

    /// Blocks until there are lines to read, the end is reached, or ``stop()`` was called.
    package func waitForBytes() throws(InputError) {
        let result: Result<Void, InputError> = work.withLock { work in
            do throws(InputError) {
                return .success(try fill(&work))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Blocks until there are lines, then copies bytes of one origin; 0 after the end or ``stop()``.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        try waitForBytes()
        return work.withLock { work in
            guard !isStopped.load(ordering: .acquiring) else { return 0 }
            let count = work.lines.read(into: buffer)
            let hasLines = !work.lines.isEmpty || work.reader.hasTaken
            shown.withLock { $0.hasLines = hasLines }
            return count
        }
    }

    /// The origin of the next line: who wrote it and assigned its sequence. `producer` when no line is waiting.
    package func nextOrigin() -> LineOrigin { work.withLock { $0.lines.nextOrigin ?? .producer } }

    /// True if a read would find lines without waiting long: some are ready, or the server has more messages.
    package func hasUnread() -> Bool {
        guard !isStopped.load(ordering: .acquiring) else { return false }
        return shown.withLock {
            $0.hasLines
                || $0.source.isReachable && ($0.position.pendingCount > 0 || ($0.subscription?.waitingCount ?? 0) > 0)
        }
    }

    /// Ends the reading. Call it from any thread, any number of times.
    package func stop() {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        stopping.signal()
    }

    /// True once ``stop()`` was called.
    package var wasStopped: Bool { isStopped.load(ordering: .acquiring) }

    /// Ends the connection. No other call may be running.
    package func close() {
        shown.withLock { $0.subscription = nil }
        work.withLock { $0.reader.end() }
    }

    /// Blocks until there is at least one line, the end is reached, or ``stop()`` was called. Reconnects after errors.
    private func fill(_ work: inout Work) throws(InputError) {
        while work.lines.isEmpty, !work.reader.isCaughtUp, !isStopped.load(ordering: .acquiring) {
            do {
                try work.reader.prepare(&work.lines)
                work.hadContact = true
                note { $0.tracelessEpoch = work.reader.tracelessEpoch }
                work.pause = 0
                try work.reader.read(timeout: JetStreamInput.lookInterval, &work.lines)
                noteReach(&work, work.reader.isConnected)
            } catch let error as JetStreamError {
                try recover(from: error, &work)
            } catch {
                throw InputError("the stream cannot be read: \(error)")
            }
            let (position, subscription) = (work.reader.position, work.reader.subscription)
            let hasLines = !work.lines.isEmpty || work.reader.hasTaken
            var statistics = work.reader.statistics
            statistics.errorCount += work.errorCount
            work.metrics.record(statistics)
            shown.withLock {
                $0.position = position
                $0.statistics = statistics
                $0.subscription = subscription
                $0.hasLines = hasLines
            }
        }
    }

    /// Pauses before the next attempt, or throws if the error must end the reading.
    private func recover(from error: JetStreamError, _ work: inout Work) throws(InputError) {
        work.reader.forgetConsumer()
        work.errorCount += 1
        noteReach(&work, work.reader.isConnected && error.code != .noJetStream && error.code != .noStream)
        if let timeout = settings.firstContactTimeout,
            error.code == .notPermitted
                || !work.hadContact
                    && (!error.mayPass || ContinuousClock.now - work.beganAt >= timeout)
        {
            shown.withLock { $0.failure = error }
            throw InputError(error)
        }
        if work.pause == 0 {
            logger.notice("\(error)")
        } else {
            logger.debug("\(error)")
        }
        // With jitter, so that many readers do not reconnect at the same moment.
        work.pause = min(JetStreamInput.pauseMax, max(50, work.pause * 2))
        _ = stopping.wait(timeout: .now() + .milliseconds(Int.random(in: 1...Int(work.pause))))
        if isStopped.load(ordering: .acquiring) { stopping.signal() }
    }

    private func noteReach(_ work: inout Work, _ isReached: Bool) {
        if isReached {
            work.lostSince = nil
        } else if work.lostSince == nil {
            work.lostSince = .now
        }
        let isReachable = work.lostSince.map { ContinuousClock.now - $0 < JetStreamInput.patience } ?? true
        guard note({ $0.isReachable = isReachable }) else { return }
        logger.notice(
            "\(isReachable ? "a server of the stream is reached again" : "no server of the stream is reached")")
    }

    /// Changes the state of the source, and reports it if it is now different.
    ///
    /// - Returns: True if the state has changed.
    @discardableResult
    private func note(_ change: (inout SourceState) -> Void) -> Bool {
        let changed = shown.withLock { shown -> SourceState? in
            let before = shown.source
            change(&shown.source)
            return shown.source == before ? nil : shown.source
        }
        if let changed { follow(changed) }
        return changed != nil
    }
}

extension InputError {
    /// Converts a stream's error, with its code and advice in the text.
    init(_ error: JetStreamError) {
        self.init("\(error.code.rawValue): \(error.message); \(error.advice)")
    }
}
