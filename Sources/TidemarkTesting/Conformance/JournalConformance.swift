import Tidemark
import TidemarkModel
import TidemarkStore

/// Checks that a journal keeps its promises: it commits random flushes and compares the journal after each with a plain
/// dictionary, with failed flushes and reopenings in between.
///
/// ```swift
/// @Test(arguments: 1...50 as ClosedRange<UInt64>)
/// func `the journal keeps its promises`(seed: UInt64) async throws {
///     let folder = try makeEmptyFolder()
///     try await JournalConformance().run(seed: seed) { try await OwnJournal.open(folder) }
/// }
/// ```
///
/// The weights of the kinds of change differ from seed to seed; a failure names its seed and step. The power supply is
/// not part of it: whether a commit survives a crash has to be tested where the journal writes.
public struct JournalConformance: Sendable {
    /// A promise that the journal broke.
    public struct Failure: Error, Hashable, CustomStringConvertible {
        /// The seed that reproduces the failure.
        public let seed: UInt64
        /// The flush after which the failure showed, counted from 1; 0 before the first.
        public let step: Int
        /// The promise, and the answer of the journal that breaks it.
        public let message: String

        public var description: String { "seed \(seed), step \(step): \(message)" }
    }

    /// A further comparison after each flush; it returns the difference, or nil.
    package typealias Comparison =
        @Sendable (_ journal: any Journal, _ model: inout JournalModel) async throws -> String?

    /// The number of flushes of one run: 30.
    public var flushCount = 30
    /// The number of rows that a flush changes at most: 60.
    public var rowCountMax = 60

    /// The indexes that are declared at each opening; payloads have the fields that rules name then. A journal may
    /// ignore them.
    package var indexes: [FieldIndex] = []
    package var comparison: Comparison?
    /// Whether the journal stores the row numbers of flushes, so that they are compared.
    package var numbersRows = true

    public init() {}

    /// Runs one seed to its end: flushes, of which some are refused, with reopenings in between.
    ///
    /// - Parameters:
    ///   - seed: Reproduces the run exactly.
    ///   - open: Returns a journal: an empty one at first, later the one that was closed before.
    /// - Throws: ``Failure``, and the errors of the journal.
    public func run(seed: UInt64, open: () async throws -> any Journal) async throws {
        var run = JournalRun(self, seed: seed, journal: try await open())
        try await run.begin()
        for _ in 0..<flushCount { try await run.commitNext(open) }
        try await run.end()
    }

    /// Commits some flushes, rebuilds the journal, and commits flushes as a new cache would.
    ///
    /// A rebuilt journal is empty: nothing of the old content may be returned, and every number may be used again.
    ///
    /// - Parameters: As for ``run(seed:open:)``.
    /// - Throws: As ``run(seed:open:)``.
    public func runRebuild(seed: UInt64, open: () async throws -> any Journal) async throws {
        var run = JournalRun(self, seed: seed, journal: try await open())
        try await run.begin()
        for _ in 0..<max(1, flushCount / 3) { try await run.commitNext(open) }
        try await run.rebuild()
        for _ in 0..<max(1, flushCount / 3) { try await run.commitNext(open) }
        try await run.end()
    }
}
