import Tidemark
import TidemarkModel
import TidemarkStore

extension SQLiteJournal: ErasingJournal {
    /// Erases a library from a file that no cache has open.
    ///
    /// - Returns: False if the file has nothing of the library.
    /// - Throws: ``Tidemark/StorageError``.
    package func erase(library: ByteString) throws(StorageError) -> Bool {
        if try recover().isOpening { _ = try takeLoss() }
        let database = try openDatabase()
        let place: Int?
        do {
            guard try database.holds(library) else { return false }
            place = database.memory.libraryNames.firstIndex(of: library)
        } catch {
            throw SQLiteError.storageError(error, path: file.path)
        }
        var flush = FlushBatch()
        if let place { flush.clearedLibraries = [LibraryIndex(place)] }
        flush.attached = [LibraryErasure(library, keepsViews: false)]
        try commit(flush)
        try scrub()
        return true
    }

    /// Replaces the file by a copy without unused pages, after a library was erased.
    ///
    /// - Throws: ``Tidemark/StorageError``.
    package func scrub() throws(StorageError) {
        let old = try openDatabase()
        guard old.memory.mustScrub else { return }
        let opener = DataFileOpener(file, configuration)
        do {
            try opener.promiseErasure(of: old)
        } catch {
            throw SQLiteError.storageError(error, path: file.path)
        }
        let names = old.memory.erasedNames
        let opened = try replaceDatabase(old) { () throws(StorageError) in try opener.finishErasure(.reopened) }
        for (library, name) in names {
            opened.memory.libraryNames[Int(library)] = name
            opened.memory.erasedNames[library] = name
        }
    }
}

extension JournalDatabase {
    /// Returns true if the file has anything of a library.
    func holds(_ library: ByteString) throws -> Bool {
        if memory.libraryNames.contains(library) { return true }
        let connection = try openStatements().connection
        for table in ["layers", "quarantine", "http_answers"] {
            let count = try PreparedStatement(connection, "SELECT count(*) FROM \(table) WHERE library = ?")
            count.bind(1, text: library)
            var found: Int64 = 0
            try count.forEachRow { found = $0.integer(0) }
            if found > 0 { return true }
        }
        return false
    }
}
