import Foundation
import Tidemark
import TidemarkModel
import TidemarkStore

extension SQLiteJournal {
    /// The options for opening a data file.
    public struct Configuration: Sendable {
        /// The path of the file. The file and its folders are created when they are missing.
        public var path: String
        /// The most records in quarantine. The oldest are removed beyond it. 10,000 by default.
        public var quarantineRecordCountMax = Limits().quarantineRecordCountMax
        /// How data is compressed from now on: with zstd where the build has it. A file may have data of both methods;
        /// one that ever got zstd's is refused by builds without it.
        public var compression = DataCompression.standard
        /// When iOS and its relatives give access to the file; nil for what its folder prescribes. Other systems ignore
        /// it. nil by default.
        public var fileProtection: FileProtection?
        /// Encrypts the file with the program's key; nil for a file that is not encrypted, which links no cryptography.
        ///
        /// A new file is created encrypted or not, and stays so. Opening throws `.keyNeeded`, `.wrongKey` or
        /// `.notEncrypted` when the key does not fit the file; nothing is changed then.
        public var encryption: (any DataFileEncryption)?
        /// The number of payloads of a type from which a dictionary is trained: 1,000. Tests use fewer.
        package var dictionarySampleCountMin = 1_000
        /// How a newly created file stores entities.
        package var layout = EntityLayout.rows
        /// The number of entities at which a file of rows becomes one of blocks: 65,536; nil for never.
        package var blockEntityCountMin: Int64? = 1 << 16
        /// How many entities one step moves into blocks: 16,384, some 7 MiB in memory.
        package var movedCountPerStep = 16_384
        /// Called while opening moves the entities of an older file into blocks, with the numbers of moved and of all
        /// entities, on the journal's queue. Moving takes some 10 seconds for each million, once.
        public var onMove: @Sendable (_ movedCount: Int64, _ totalCount: Int64) -> Void = { _, _ in }
        /// The port for renaming files. Tests replace it to stop between two steps.
        package var names: any FileNames = SystemFileNames()
        /// The folder for locks by which writers exclude each other when they open one file by different names.
        var lockFolder = LockFolder.standard()
        /// Returns the current time in milliseconds since 1970. It is used only for file names and training dates.
        public var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }
        /// Returns 64 random bits, for the identity of a new file.
        package var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
        /// Runs the journal's work in order, one closure at a time; nil for a queue of the journal's own.
        package var enqueue: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
        /// True to serve a file of blocks before its index is read, on a thread of its own. Ignored with `enqueue`.
        package var opensInBackground = true
        /// Called on the thread that reads the index, before it begins. Tests hold it there.
        package var onOpening: @Sendable () -> Void = {}
        /// Reads single entities beside commits.
        var concurrentReads = ConcurrentReads()
        /// Called on the journal's queue with each row that fails its check and counts as absent.
        public var onDamagedRow: @Sendable (DamagedRow) -> Void = { _ in }

        /// Creates the default options for a file.
        ///
        /// - Parameter path: A path that is absolute, or relative to the working directory.
        public init(path: String) {
            self.path = path
        }
    }
}
