import Foundation
import TidemarkModel
import TidemarkTestKit

/// The sizes of the load tests: small in every run, full under `make load-test` (`TIDEMARK_SCALE=load`).
struct LoadSize {
    /// The bytes of a line without an end.
    var longLineByteCount: Int
    /// The number of lines that cannot be used.
    var rubbishLineCount: Int
    /// The number of containers open at once on one line.
    var depth: Int
    /// The number of notified changes that a host does not read.
    var unreadChangeCount: Int
    /// The number of events that an upstream brings one by one.
    var singleAnswerCount: Int
    /// The number of winners of a lock that are killed.
    var lockRoundCount: Int

    static let small = LoadSize(
        longLineByteCount: 18 << 20, rubbishLineCount: 12_000, depth: 100_000, unreadChangeCount: 6_000,
        singleAnswerCount: 200, lockRoundCount: 1)
    static let whole = LoadSize(
        longLineByteCount: 1 << 30, rubbishLineCount: 1_000_000, depth: 1_000_000, unreadChangeCount: 300_000,
        singleAnswerCount: 20_000, lockRoundCount: 20)

    static let isWhole = TestScale.load.isAsked
    static let current = isWhole ? whole : small

    /// The limits of the protocol, in every run.
    static let libraryCount = Limits().libraryCountMax
    static let memberCount = Limits().batchMemberCountMax
    static let writerCount = 8
    /// The bytes of memory that a line may add to a process: one and a half times the longest one, and 4 MiB.
    static let lineMemoryByteCountMax = 28 << 20

    /// The seconds that a child may take for one answer, on a busy machine.
    static let patience = 600.0

    /// Prints the progress of a long test.
    static func tell(_ text: String) {
        guard isWhole else { return }
        FileHandle.standardError.write(Data("load: \(text)\n".utf8))
    }
}
