import Logging
import Synchronization
import Tidemark
import TidemarkModel
import TidemarkStore

/// Replays the steps of a recording one by one, and compares each outcome with the recorded one.
///
/// ```swift
/// func replay(_ path: String, into journal: any Journal) async throws {
///     let reader = try RecordingReader(path)
///     let replayer = try await Replayer(reader.setup, policy: CachePolicy(), journal: journal)
///     while let entry = try reader.next() { try await replayer.apply(entry) }
///     print(replayer.entryCount, replayer.divergence?.line ?? 0)
///     try await replayer.close()
/// }
/// ```
///
/// Use a replayer from one task at a time.
package final class Replayer {
    /// A step whose outcome differs from the recorded one.
    package struct Divergence: Hashable, Sendable {
        /// The number of the entry, from 1.
        package var number: Int64
        /// The number of its line in the recording, from 1.
        package var line: Int64
        /// The name of the step.
        package var step: ByteString
        /// The recorded outcome as JSON.
        package var recorded: [UInt8]
        /// The outcome of the replay as JSON.
        package var replayed: [UInt8]
    }

    /// The cache on which the steps are replayed.
    package let cache: SyncCache
    /// The first divergence; nil while all outcomes are equal.
    package private(set) var divergence: Divergence?
    /// The number of entries replayed so far.
    package private(set) var entryCount: Int64 = 0
    private let clock: ReplayClock
    private let outcomes: OutcomeCatcher
    private let isCompared: Bool

    /// Opens a cache for a replay.
    ///
    /// - Parameters:
    ///   - setup: The first line of the recording.
    ///   - policy: The policy, parsed from ``RecordingSetup/policy``.
    ///   - journal: A journal with the database with which the recording began, or an empty one.
    ///   - recorder: A recorder for the replay itself; nil for none.
    ///   - isCompared: True if the source has outcomes to compare with.
    /// - Throws: ``/Tidemark/StorageError``.
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

    /// Replays the next step, and sets ``divergence`` at the first outcome that differs.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    package func apply(_ entry: RecordingReader.Entry) async throws(StorageError) {
        clock.set(entry.at)
        outcomes.clear()
        try await cache.replay(entry.step)
        entryCount += 1
        guard isCompared, divergence == nil else { return }
        // Evictions are separate steps, and have no outcome to compare.
        if case .leaving = entry.step { return }
        let replayed = outcomes.first?.json ?? Array("{}".utf8)
        guard replayed != entry.outcome else { return }
        divergence = Divergence(
            number: entry.number, line: entry.line, step: entry.step.name, recorded: entry.outcome,
            replayed: replayed)
    }

    /// Writes everything to the journal and closes it.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    package func close() async throws(StorageError) {
        try await cache.close()
    }
}

/// Collects the outcomes of the last step, and passes entries on to another recorder.
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

/// Takes the place of the recorded cache's upstream: with an upstream, the cache holds events as it did then. It never
/// gets a request.
private struct NobodyToAsk: Upstream {
    func events(since sequence: EventSequence, of library: ByteString) async throws(UpstreamError) -> UpstreamResponse {
        throw UpstreamError("no upstream is asked during a replay", isFinal: true)
    }
}
