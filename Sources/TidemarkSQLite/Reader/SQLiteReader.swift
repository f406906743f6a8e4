import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads a data file without writing it, also while a writer is running.
///
/// Each call sees one committed state. It takes no lock that could keep a writer out, and changes no byte
/// of the database. SQLite's shared memory (`-shm`) and an empty log (`-wal`) may appear beside a file at
/// rest: without them a writer that starts meanwhile could not be noticed. Not for several tasks at once.
/// Errors: `.notFound`, `.notOurs`, `.newerFormat`, `.damaged`, `.locked`, `.inputOutput`.
///
/// - Source: contract, 8: one writer, readers print only verified rows.
public final class SQLiteReader {
    let file: DataFilePath
    let connection: ReadConnection
    let decoder: PayloadDecoder

    /// - Parameter path: An existing data file.
    /// - Throws: ``Tidemark/StorageError``.
    /// - Complexity: Independent of the number of entities.
    public init(path: String) throws(StorageError) {
        let file = DataFilePath(path)
        self.file = file
        let header = try FileHeader.read(file.path)
        if let refusal = header.refusal(path: file.path, isKnown: FileTraces.areBeside(file)) { throw refusal }
        switch header {
        case .missing:
            throw StorageError(.notFound, "there is no \(file.path)", advice: "check the name, or ingest into it first")
        case .empty, .unmarked, .garbage:
            throw StorageError(
                .damaged, "\(file.path) is not a SQLite database",
                advice: "open it for writing: it is moved aside and made anew")
        case .ours, .foreign, .newer: break
        }
        do {
            try DataFileSchema.check(file)
            connection = try SQLiteReader.connect(file)
            decoder = try PayloadDecoder()
        } catch {
            throw SQLiteFailure.storageError(error, path: file.path)
        }
    }

    /// Without a log, and in a folder where SQLite cannot make its `-shm`, the main file is all there is.
    private static func connect(_ file: DataFilePath) throws -> ReadConnection {
        do {
            let connection = try ReadConnection(path: file.path, isImmutable: false)
            try connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1")
            return connection
        } catch let failure as SQLiteFailure {
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
            throw SQLiteFailure.storageError(error, path: file.path)
        }
    }

    // MARK: Small things

    /// All libraries, in byte order of their ids.
    public func libraries() throws(StorageError) -> [ReadLibrary] {
        try snapshot { connection in
            try LibraryTable.read(connection).sorted { $0.name < $1.name }.map {
                ReadLibrary(status: $0.status, entityCount: $0.entityCount, generation: $0.generation)
            }
        }
    }

    /// Totals of lines and events since the file was made.
    public func counts() throws(StorageError) -> EventCounts {
        try snapshot { try CounterTable.counts(try CounterTable.read($0)) }
    }

    /// Kinds that were ignored, and how often.
    public func ignoredKinds() throws(StorageError) -> [ByteString: Int64] {
        try snapshot { try CounterTable.ignoredKinds($0) }
    }

    /// Bytes on disk now.
    public func byteCounts() -> ReadByteCounts {
        ReadByteCounts(
            database: DataFilePath.byteCount(file.path) ?? 0,
            writeAheadLog: DataFilePath.byteCount(file.writeAheadLog) ?? 0,
            sharedMemory: DataFilePath.byteCount(file.sharedMemory) ?? 0)
    }
}
