import Dispatch
import Logging
import Metrics
import Synchronization
import Tidemark
import TidemarkModel

/// A stream as an input of event lines: the engine reads it as it reads a pipe, and asks for as much as it can take.
///
/// Reading waits on the reader's queue. Nothing is read ahead of the engine but a few requests of
/// ``PullConsumer/requestByteCountMax`` bytes.
///
/// - Source: Protocol/jetstream.md, reading.
package final class JetStreamInput: LineInput {
    /// The state that only the reading thread uses.
    private struct Work {
        var reader: StreamReader
        /// The lines that were made and not yet read.
        var lines = StreamLines()
        /// Whether a server and the stream were found once.
        var hadContact = false
        let beganAt = ContinuousClock.now
        /// The time since which no server is connected; nil while one is.
        var lostSince: ContinuousClock.Instant?
        var pause: Int64 = 0
        var errorCount: Int64 = 0
        var metrics: FeedMetrics
    }

    /// The state that other threads look at.
    private struct Shown {
        var position = StreamReader.Position()
        var statistics = FeedStatistics()
        /// Whether there are lines, or messages that were taken and are not lines yet.
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

    /// The longest wait for messages before other work is checked, in milliseconds.
    private static let lookInterval: Int64 = 100
    /// The time without a server after which the libraries count as cut off.
    private static let patience = Duration.seconds(5)
    /// The longest pause between two attempts, in milliseconds.
    private static let pauseMax: Int64 = 2_000

    /// - Parameters:
    ///   - known: The libraries of the cache at its opening.
    ///   - metrics: The backend of metrics; nil: the program's own.
    ///   - follow: Told of the changes of the source, the newest of which counts.
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

    /// The error that ended the reading; nil when none did.
    var failure: JetStreamError? { shown.withLock { $0.failure } }

    /// The place up to which the stream was read.
    var position: StreamReader.Position { shown.withLock { $0.position } }

    /// The numbers until now.
    var statistics: FeedStatistics { shown.withLock { $0.statistics } }

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

    package func nextOrigin() -> LineOrigin { work.withLock { $0.lines.nextOrigin ?? .producer } }

    package func hasUnread() -> Bool {
        guard !isStopped.load(ordering: .acquiring) else { return false }
        return shown.withLock {
            $0.hasLines
                || $0.source.isReachable && ($0.position.pendingCount > 0 || ($0.subscription?.waitingCount ?? 0) > 0)
        }
    }

    package func stop() {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        stopping.signal()
    }

    /// Whether ``stop()`` ended the reading.
    package var wasStopped: Bool { isStopped.load(ordering: .acquiring) }

    /// Ends the connection. No call may be under way.
    package func close() {
        shown.withLock { $0.subscription = nil }
        work.withLock { $0.reader.end() }
    }

    /// Makes lines, unless there are some: waits for messages, for servers, or for the end.
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

    /// Follows an error: another attempt after a pause, or the end.
    private func recover(from error: JetStreamError, _ work: inout Work) throws(InputError) {
        work.reader.forgetConsumer()
        work.errorCount += 1
        noteReach(&work, work.reader.isConnected && error.code != .noJetStream && error.code != .noStream)
        if let timeout = settings.firstContactTimeout,
            error.code == .notPermitted
                || !work.hadContact
                    && (!error.mayPass || ContinuousClock.now - work.beganAt >= .milliseconds(timeout))
        {
            shown.withLock { $0.failure = error }
            throw InputError(error)
        }
        if work.pause == 0 {
            logger.notice("\(error)")
        } else {
            logger.debug("\(error)")
        }
        // With jitter, so that many readers do not come back in one moment.
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

    /// Changes the state of the source, and tells of it unless it is the same.
    ///
    /// - Returns: Whether it is another one.
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
    /// An input error of a stream, with what can be done.
    init(_ error: JetStreamError) {
        self.init("\(error.code.rawValue): \(error.message); \(error.advice)")
    }
}
