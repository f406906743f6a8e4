import Tidemark
import TidemarkModel
import TidemarkStore

extension SQLiteJournal: ErasingJournal {
    /// Erases a library from a file that no cache has open.
    ///
    /// - Returns: False if the file has nothing of the library.
    /// - Throws: ``/Tidemark/StorageError``.
    package func erase(library: ByteString) throws(StorageError) -> Bool {
        if try recover().isOpening { _ = try takeLoss() }
        guard try holds(library: library) else { return false }
        var flush = FlushBatch()
        let place = try openDatabase().memory.libraryNames.firstIndex(of: library)
        if let place { flush.clearedLibraries = [LibraryIndex(place)] }
        flush.attached = [LibraryErasure(library, keepsViews: false)]
        try commit(flush)
        try scrub()
        return true
    }

    /// Returns true if the file has anything of a library.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    package func holds(library: ByteString) throws(StorageError) -> Bool { try perform { try $0.holds(library) } }

    /// Replaces the file by a copy without unused pages, after a library was erased.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    package func scrub() throws(StorageError) {
        let old = try openDatabase()
        guard old.memory.mustScrub else { return }
        let opener = DataFileOpener(file, configuration)
        try perform { try opener.promiseErasure(of: $0) }
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
        if let place = memory.libraryNames.firstIndex(of: library) {
            return memory.erasedNames[LibraryIndex(place)] == nil
        }
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
