import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads a data file without writing it, even while a writer is running.
///
/// Each call sees one committed state. A reader takes no lock that could block a writer, and changes no byte of the
/// database. SQLite's shared memory (`-shm`) and an empty log (`-wal`) may appear beside a file that no process has
/// open: without them the reader could not notice a writer that starts meanwhile.
///
/// In a file of blocks, the first read after a commit also reads the directories of the blocks that the stored index
/// does not contain: those of at most half as many changes as there are entities.
///
/// Use a reader from one task at a time. Errors: `.notFound`, `.notOurs`, `.newerFormat`, `.damaged`, `.locked`,
/// `.inputOutput`.
///
/// ```swift
/// let reader = try SQLiteReader(path: "cache.db")
/// for library in try reader.libraries() { print(library.status.library, library.entityCount) }
/// try reader.walk(type: "photo", limit: 10) { step in
///     if case .entity(let entity) = step { print(entity.key, entity.payload.count) }
///     return true
/// }
/// ```
///
/// - Source: docs/data-file.md; docs/operating.md, one writer, and damage.
public final class SQLiteReader {
    let file: DataFilePath
    /// Keeps the key of an encrypted file; nil for others. Declared before the connection, which needs it.
    private let sealed: SealedFiles.Use?
    let connection: ReadConnection
    let decoder: PayloadDecoder
    /// The reads of a file of blocks, which keep the loaded index until another connection commits.
    private lazy var blocks = SnapshotReads(connection.handle)

    /// Opens a data file for reading.
    ///
    /// - Parameters:
    ///   - path: The path of an existing data file.
    ///   - encryption: The key of an encrypted file; nil for a file that is not encrypted.
    /// - Throws: ``/Tidemark/StorageError``: `.notFound`, `.notOurs`, `.newerFormat`, `.keyNeeded`, `.wrongKey`,
    ///   `.notEncrypted`, `.damaged`, `.locked`, `.inputOutput`.
    /// - Complexity: Independent of the number of entities.
    public init(path: String, encryption: (any DataFileEncryption)? = nil) throws(StorageError) {
        let file = DataFilePath(path)
        self.file = file
        sealed = try SealedFiles.use(file, encryption)
        let header = try FileHeader.read(file.path)
        if let refusal = header.refusal(path: file.path, isKnown: FileTraces.areBeside(file)) { throw refusal }
        switch header {
        case .missing:
            throw StorageError(.notFound, "\(file.path) does not exist", advice: "check the name, or ingest first")
        case .empty, .unmarked, .garbage:
            throw StorageError(
                .damaged, "\(file.path) is not a SQLite database",
                advice: "open it for writing: it is moved aside and created anew")
        case .ours, .foreign, .sealed, .newer, .compressed: break
        }
        do {
            try DataFileSchema.check(file)
            connection = try SQLiteReader.connect(file)
            decoder = try PayloadDecoder()
        } catch {
            throw SQLiteError.storageError(error, path: file.path)
        }
    }

    /// Opens a read-only connection. If there is no log and the folder does not let SQLite create its `-shm`, only the
    /// main file is read.
    private static func connect(_ file: DataFilePath) throws -> ReadConnection {
        do {
            let connection = try ReadConnection(path: file.path, isImmutable: false)
            try connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1")
            return connection
        } catch let failure as SQLiteError {
            guard failure.storageCode == .inputOutput, DataFilePath.byteCount(file.writeAheadLog) ?? 0 == 0 else {
                throw failure
            }
            return try ReadConnection(path: file.path, isImmutable: true)
        }
    }

    /// Runs `body` on one committed state.
    func snapshot<Result>(_ body: (OpaquePointer) throws -> Result) throws(StorageError) -> Result {
        do {
            try connection.execute("BEGIN")
            let result: Result
            do {
                result = try body(connection.handle)
            } catch {
                try connection.execute("ROLLBACK")
                throw error
            }
            try connection.execute("COMMIT")
            return result
        } catch {
            throw SQLiteError.storageError(error, path: file.path)
        }
    }

    /// Returns the reads of entities in the current snapshot. The format is read in each snapshot, because a writer may
    /// upgrade the file beside the reader.
    func entities(_ connection: OpaquePointer) throws -> any EntityReads {
        try blocks(connection) ?? RowReads(connection, decoder: decoder)
    }

    /// Returns the reads of entities in blocks; nil for a file of rows.
    func blocks(_ connection: OpaquePointer) throws -> SnapshotReads? {
        try EntityLayout(connection) == .rows ? nil : blocks
    }

    // MARK: Totals and sizes

    /// Returns all libraries, in the byte order of their ids.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    public func libraries() throws(StorageError) -> [ReadLibrary] {
        try snapshot { connection in
            let counters = try CounterTable.read(connection)
            let records = try LibraryTable.read(connection).filter { !ErasedLibrary.isName($0.name) }
            return records.sorted { $0.name < $1.name }.map { record in
                var record = record
                record.isSourceStale = counters[CounterTable.sourceStale(record.index)] == 1
                var status = record.status
                status.isUnknowable = counters[CounterTable.unknowable(record.index)] == 1
                return ReadLibrary(status: status, entityCount: record.entityCount, generation: record.generation)
            }
        }
    }

    /// Returns the counts of lines and events since the file was created.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    public func counts() throws(StorageError) -> EventCounts {
        try snapshot { try CounterTable.counts(try CounterTable.read($0)) }
    }

    /// Returns the kinds of events that were ignored, with their counts.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    public func ignoredKinds() throws(StorageError) -> [ByteString: Int64] {
        try snapshot { try CounterTable.ignoredKinds($0) }
    }

    /// Returns the current sizes of the files on disk; 0 for a file that does not exist.
    public func byteCounts() -> ReadByteCounts {
        ReadByteCounts(
            database: DataFilePath.byteCount(file.path) ?? 0,
            writeAheadLog: DataFilePath.byteCount(file.writeAheadLog) ?? 0,
            sharedMemory: DataFilePath.byteCount(file.sharedMemory) ?? 0)
    }
}
