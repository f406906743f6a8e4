import Foundation
import TidemarkModel

/// How large the load tests are, in one place: small in every run, whole under `make load-test` (`TIDEMARK_LOAD`).
struct LoadSize {
    /// A line without an end.
    var longLineByteCount: Int
    /// Lines that cannot be used.
    var rubbishLineCount: Int
    /// Containers open at once on one line.
    var depth: Int
    /// Changes that a host is told of and does not read.
    var unreadChangeCount: Int
    /// Events that an upstream brings one by one.
    var singleAnswerCount: Int
    /// Winners of a lock that are killed.
    var lockRoundCount: Int

    static let small = LoadSize(
        longLineByteCount: 18 << 20, rubbishLineCount: 12_000, depth: 100_000, unreadChangeCount: 6_000,
        singleAnswerCount: 200, lockRoundCount: 1)
    static let whole = LoadSize(
        longLineByteCount: 1 << 30, rubbishLineCount: 1_000_000, depth: 1_000_000, unreadChangeCount: 300_000,
        singleAnswerCount: 20_000, lockRoundCount: 20)

    static let isWhole = ProcessInfo.processInfo.environment["TIDEMARK_LOAD"] != nil
    static let current = isWhole ? whole : small

    /// The contract's own, in every run.
    static let libraryCount = Limits().libraryCountMax
    static let memberCount = Limits().batchMemberCountMax
    static let writerCount = 8
    /// What a line may add to what a process takes.
    static let lineMemoryByteCountMax = 32 << 20

    /// Seconds that a child may take for one answer, on a machine that has other things to do.
    static let patience = 600.0

    /// Says how far a long test is.
    static func tell(_ text: String) {
        guard isWhole else { return }
        FileHandle.standardError.write(Data("load: \(text)\n".utf8))
    }
}
