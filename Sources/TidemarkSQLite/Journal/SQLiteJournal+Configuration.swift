import Foundation
import Tidemark
import TidemarkModel
import TidemarkStore

extension SQLiteJournal {
    /// The options for opening a data file.
    public struct Configuration: Sendable {
        /// The path of the file; the file and its folders are created when they are missing.
        public var path: String
        /// The maximum number of records in quarantine, of which the newest are kept: 10,000.
        public var quarantineRecordCountMax = Limits().quarantineRecordCountMax
        /// The minimum number of payloads of a type from which a dictionary is trained: 1,000. Tests use fewer.
        package var dictionarySampleCountMin = 1_000
        /// The form of entities in a file that is created.
        package var layout = EntityLayout.rows
        /// The number of entities from which a file of rows becomes one of blocks: 65,536; nil: never.
        package var blockEntityCountMin: Int64? = 1 << 16
        /// The entities that are moved in one step: 16,384, some 7 MiB in memory.
        package var movedCountPerStep = 16_384
        /// Called while opening moves the entities of a file of an older format, with the number of moved ones and of
        /// all, on the journal's queue. It takes some 10 seconds for each million, once.
        public var onMove: @Sendable (_ movedCount: Int64, _ totalCount: Int64) -> Void = { _, _ in }
        /// The port that renames files; tests use it to stop between two steps.
        package var names: any FileNames = SystemFileNames()
        /// The folder for the locks by which writers exclude each other when they open one file by different names.
        var lockFolder = LockFolder.standard()
        /// Returns the current time in milliseconds since 1970; used only for file names and training dates.
        public var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }
        /// Returns 64 random bits, for the identity of a new file.
        package var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
        /// Runs the journal's work in order, one closure at a time; nil means a queue of the journal's own.
        package var enqueue: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
        /// Whether a file of blocks may be used before its index was read, on a thread of its own. Not with `enqueue`.
        package var opensInBackground = true
        /// Called on the thread that reads the index, before it begins; tests hold it there.
        package var onOpening: @Sendable () -> Void = {}
        /// Reads single entities of blocks beside commits; nil: all reads take their turn.
        var concurrentReads: ConcurrentReads?
        /// Called with each row that failed its check and counts as absent, on the journal's queue.
        public var onDamagedRow: @Sendable (DamagedRow) -> Void = { _ in }

        /// - Parameter path: A path that is absolute, or relative to the working directory.
        public init(path: String) {
            self.path = path
        }
    }
}
