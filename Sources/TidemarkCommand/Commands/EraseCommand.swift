import ArgumentParser
import Tidemark
import TidemarkJSON
import TidemarkModel
import TidemarkSQLite

/// `tidemark erase`: erases a library from a database.
struct EraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase a library, so that nothing of it can be read any more.",
        discussion: """
            Removes the library's entities, lists, pending edits, HTTP responses, views and quarantined lines, and \
            replaces the file by a copy without them: no page of it, and no page of its log, has any of them, whoever \
            has the key. If the process ends in between, nothing was erased, or the next writer finishes it. Needs \
            the database's lock, and free disk space for a second copy. Ends with 66 when the database has nothing of \
            the library.

            EXAMPLE
              tidemark erase --db cache.db --library user-17
              tidemark erase --db cache.db --library user-17 --key-file cache.key
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var format: FormatOptions
    @Option(
        help: ArgumentHelp("The library to erase; \"\" is the one of events that name none.", valueName: "id"))
    var library: String

    func run() async throws {
        // Open a reader first: an erasure must not create a missing database, or replace a damaged one.
        _ = try CacheReader(database)
        let journal = try await database.openJournal()
        let isErased: Bool
        do {
            isErased = try await journal.erase(library: ByteString(library))
        } catch {
            try await journal.close()
            throw error
        }
        try await journal.close()
        guard isErased else {
            throw Failure(
                .noInput, "not_found", "the database has nothing of library \"\(library)\"", place: database.path,
                outcome: "nothing was erased", advice: "see tidemark stats --db \(database.path)")
        }
        let output = Output.standard()
        if format.isJSON {
            var line = JSONLine()
            line.object { line in
                line.member("library_id", Optional(ByteString(library)))
                line.member("erased", true)
            }
            try output.writeLine(line.bytes)
        } else {
            try output.writeLine("library \"\(Printable.text(library))\" was erased")
        }
        try output.flush()
    }
}
