import Tidemark
import TidemarkModel
import TidemarkStore

/// A pause in which the journal has no file open.
extension SQLiteJournal {
    /// Copies the log back into the file, closes it and releases its locks until ``resume(recreating:)``. Calls in
    /// between throw `.suspended`. A second call does nothing.
    ///
    /// - Throws: ``/Tidemark/StorageError`` when the log could not be copied back. The file is closed even then, and
    ///   opening it again finds everything that was committed.
    public func suspend() async throws(StorageError) {
        guard pause == nil else { return }
        let database = try openDatabase()
        var failure: (any Error)?
        var counters: [String: Int64]?
        do {
            try database.writeUses()
            counters = try database.counters()
        } catch {
            failure = error
        }
        var pause = SuspendedFile(
            state: nil, counters: counters, indexes: database.keptIndexes, http: database.http,
            discardsContents: database.discardsContents)
        self.database = nil
        do { try database.close(tidies: false) } catch { failure = failure ?? error }
        releaseLocks()
        pause.state = FileState(file)
        self.pause = pause
        noteMemory()
        if let failure { throw SQLiteError.storageError(failure, path: file.path) }
    }

    /// Opens the file again that ``suspend()`` closed. If the journal is not suspended, this does nothing.
    ///
    /// A damaged file is moved aside and replaced by an empty one, as ``rebuild(reason:)`` does.
    ///
    /// - Parameter recreating: Whether to create an empty file when there is none.
    /// - Throws: ``/Tidemark/StorageError``; the journal stays suspended then. `.notFound` when there is no file,
    ///   `.changed` when it is not as it was left, `.locked` when another process writes it, `.protected`,
    ///   `.inputOutput`.
    public func resume(recreating: Bool) async throws(StorageError) -> JournalResumption {
        guard let pause else { return .asLeft }
        // Its header is not read: closing the file would release the locks of readers in this process.
        let isMissing = DataFilePath.byteCount(file.path) == nil
        if isMissing {
            guard recreating else {
                throw StorageError(
                    .notFound, "\(file.path) was removed during a pause",
                    advice: "put it back, or create it anew with what is in memory")
            }
            try file.makeFolders()
        }
        lock = try WriterLock(file)
        do throws(StorageError) {
            identityLock = try IdentityLock.acquire(file, in: configuration.lockFolder)
            let resumption = try isMissing ? replaced(pause, "it was removed during a pause") : reopened(pause)
            self.pause = nil
            noteMemory()
            return resumption
        } catch {
            database = nil
            releaseLocks()
            throw error
        }
    }

    private func reopened(_ pause: SuspendedFile) throws(StorageError) -> JournalResumption {
        guard let state = pause.state, state == FileState(file) else { throw changed }
        do {
            let database = try JournalDatabase(file, configuration)
            do {
                if let counters = pause.counters, try database.counters() != counters { throw changed }
                let recovered = try database.recover(continuing: pause.http)
                database.httpLimits = httpLimits
                database.httpLedger = sharedHTTP
                database.discardsContents = pause.discardsContents
                self.database = database
                use = FilesInUse.Use(file.path)
                return recovered.isOpening ? .opening : .asLeft
            } catch {
                do {
                    try database.close(tidies: false)
                } catch {
                    // The first error is reported; a second error from closing adds nothing.
                }
                throw error
            }
        } catch {
            let failure = SQLiteError.storageError(error, path: file.path)
            guard failure.code == .damaged else { throw failure }
            return try replaced(pause, failure.cause)
        }
    }

    private func replaced(_ pause: SuspendedFile, _ reason: String) throws(StorageError) -> JournalResumption {
        _ = try rebuild(reason: reason)
        var indexes = FieldIndexChanges()
        indexes.added = pause.indexes
        try changeIndexes(indexes, progress: nil)
        return .replaced
    }

    private var changed: StorageError {
        StorageError(
            .changed, "\(file.path) was written by another program during a pause",
            advice: "close this cache, and open another one")
    }
}
