import Logging
import Synchronization
import Tidemark
import TidemarkModel
import TidemarkStore

/// Replays the steps of a recording one by one, and compares the outcome of each with the recorded one.
///
/// ```swift
/// let replayer = try await Replayer(setup, policy: policy, journal: journal)
/// while let entry = try reader.next() { try await replayer.apply(entry) }
/// ```
///
/// A replayer must be used by one task at a time.
package final class Replayer {
    /// A step whose outcome differs from the recorded one.
    package struct Divergence: Hashable, Sendable {
        package var number: Int64
        package var line: Int64
        package var step: ByteString
        /// The two outcomes as JSON.
        package var recorded: [UInt8]
        package var replayed: [UInt8]
    }

    package let cache: SyncCache
    /// The first divergence; nil while all outcomes are equal.
    package private(set) var divergence: Divergence?
    /// The number of entries that were replayed.
    package private(set) var entryCount: Int64 = 0
    private let clock: ReplayClock
    private let outcomes: OutcomeCatcher
    private let isCompared: Bool

    /// - Parameters:
    ///   - journal: A journal with the database with which the recording began, or an empty one.
    ///   - recorder: A recorder that records the replay itself; nil for none.
    ///   - isCompared: Whether the source has outcomes to compare with.
    /// - Throws: ``Tidemark/StorageError``.
    package init(
        _ setup: RecordingSetup, policy: CachePolicy, journal: any Journal, recorder: (any CacheRecorder)? = nil,
        isCompared: Bool = true
    ) async throws(StorageError) {
        clock = ReplayClock(setup.openedAt)
        outcomes = OutcomeCatcher(recorder)
        self.isCompared = isCompared
        var configuration = setup.configuration(policy: policy)
        configuration.logger = Logger(label: "tidemark.replay") { _ in SwiftLogNoOpLogHandler() }
        cache = try await SyncCache.open(
            configuration: configuration, journal: journal, upstream: setup.hasUpstream ? NobodyToAsk() : nil,
            clock: clock, recorder: outcomes, corrects: false)
        await cache.resume(fromAttempts: setup.attempts)
    }

    /// Replays the next step.
    ///
    /// - Throws: ``Tidemark/StorageError``.
    package func apply(_ entry: RecordingReader.Entry) async throws(StorageError) {
        clock.set(entry.at)
        outcomes.clear()
        try await cache.replay(entry.step)
        entryCount += 1
        guard isCompared, divergence == nil else { return }
        // Evictions are steps of their own, and have no outcome to compare.
        if case .leaving = entry.step { return }
        let replayed = outcomes.first?.json ?? Array("{}".utf8)
        guard replayed != entry.outcome else { return }
        divergence = Divergence(
            number: entry.number, line: entry.line, step: entry.step.name, recorded: entry.outcome,
            replayed: replayed)
    }

    /// Writes everything to the journal and closes it.
    ///
    /// - Throws: ``Tidemark/StorageError``.
    package func close() async throws(StorageError) {
        try await cache.close()
    }
}

/// Keeps the outcomes of the last step.
private final class OutcomeCatcher: CacheRecorder {
    private let outcomes = Mutex<[RecordedOutcome]>([])
    private let next: (any CacheRecorder)?

    init(_ next: (any CacheRecorder)?) {
        self.next = next
    }

    var first: RecordedOutcome? { outcomes.withLock { $0.first } }

    func clear() {
        outcomes.withLock { $0.removeAll(keepingCapacity: true) }
    }

    func record(_ entry: RecordedEntry) {
        outcomes.withLock { $0.append(entry.outcome) }
        next?.record(entry)
    }

    func waitForRoom() async {
        await next?.waitForRoom()
    }

    func end(because reason: String) {
        next?.end(because: reason)
    }
}

/// Replaces the original upstream: the cache holds events for it as it did then, but never asks it.
private struct NobodyToAsk: Upstream {
    func events(since sequence: EventSequence, of library: ByteString) async throws(UpstreamError) -> UpstreamAnswer {
        throw UpstreamError("no upstream is asked during a replay", isFinal: true)
    }
}
