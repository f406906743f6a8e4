import Tidemark
import TidemarkModel
import TidemarkStore

/// Checks that a journal keeps its promises. It commits random flushes, some of which must fail, reopens the journal
/// now and then, and compares its content after each flush with a plain dictionary.
///
/// ```swift
/// func check(_ seed: UInt64, open: () async throws -> any Journal) async throws {
///     var conformance = JournalConformance()
///     conformance.flushCount = 100
///     do {
///         try await conformance.run(seed: seed, open: open)
///     } catch let failure as JournalConformance.Failure {
///         print(failure)  // seed 7, step 12: …
///     }
/// }
/// ```
///
/// The weights of the kinds of change differ from seed to seed. A failure names its seed and step. Loss of power is not
/// simulated: test where the journal writes whether a commit survives a crash.
public struct JournalConformance: Sendable {
    /// A promise that the journal broke.
    public struct Failure: Error, Hashable, CustomStringConvertible {
        /// The seed that reproduces the failure.
        public let seed: UInt64
        /// The flush after which the failure was found, counted from 1; 0 before the first.
        public let step: Int
        /// The promise, and how the journal broke it.
        public let message: String

        /// The seed, the step and the message in one line.
        public var description: String { "seed \(seed), step \(step): \(message)" }
    }

    /// A further comparison after each flush, which returns the difference or nil.
    package typealias Comparison =
        @Sendable (_ journal: any Journal, _ model: inout JournalModel) async throws -> String?

    /// How many flushes a run has. Default: 30.
    public var flushCount = 30
    /// The largest number of rows that a flush changes. Default: 60.
    public var rowCountMax = 60

    /// The indexes to declare at each opening, which a journal may ignore. With indexes, payloads have the fields that
    /// rules name.
    package var indexes: [FieldIndex] = []
    /// The further comparison; nil for none.
    package var comparison: Comparison?
    /// Whether the journal stores the row numbers of flushes, so that they can be compared.
    package var numbersRows = true

    /// Makes a check with the defaults.
    public init() {}

    /// Runs one seed to its end: flushes, some of which the journal must refuse, and reopenings in between.
    ///
    /// - Parameters:
    ///   - seed: Reproduces the run exactly.
    ///   - open: Returns a journal: first an empty one, later the one that was closed before.
    /// - Throws: ``Failure``, and the errors of the journal.
    public func run(seed: UInt64, open: () async throws -> any Journal) async throws {
        var run = JournalRun(self, seed: seed, journal: try await open())
        try await run.begin()
        for _ in 0..<flushCount { try await run.commitNext(open) }
        try await run.end()
    }

    /// Commits some flushes, rebuilds the journal, and commits flushes of a new cache.
    ///
    /// A rebuilt journal is empty: it must not return old content, and any number may be used again.
    ///
    /// - Parameters:
    ///   - seed: Reproduces the run exactly.
    ///   - open: Returns a journal: first an empty one, later the one that was closed before.
    /// - Throws: ``Failure``, and the errors of the journal.
    public func runRebuild(seed: UInt64, open: () async throws -> any Journal) async throws {
        var run = JournalRun(self, seed: seed, journal: try await open())
        try await run.begin()
        for _ in 0..<max(1, flushCount / 3) { try await run.commitNext(open) }
        try await run.rebuild()
        for _ in 0..<max(1, flushCount / 3) { try await run.commitNext(open) }
        try await run.end()
    }
}
