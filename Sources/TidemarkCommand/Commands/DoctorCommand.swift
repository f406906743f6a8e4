import ArgumentParser
import TidemarkSQLite

/// `tidemark doctor`: examines a database and everything around it, and gives advice.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look at a database and all around it, and say what to do.",
        discussion: """
            Looks at the file, SQLite's version, the file system, room and rights, the writer's lock, the log, what a \
            repair left, and at what the file holds. Writes nothing; may run beside an ingest, and on a file that may \
            only be read. Ends with 0 when nothing is bad, with 65 when there is a problem, 66 when there is no such \
            file, and 78 when it is another program's or a newer Tidemark's.

            EXAMPLE
              tidemark doctor --db cache.db
              tidemark doctor --db cache.db --json
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
        let examination = Examination.of(database.path)
        let output = Output.standard()
        if format.isJSON {
            try output.writeLine(examination.json)
        } else {
            try examination.write(to: output)
        }
        try output.flush()
        if let failure = examination.failure { throw failure }
    }
}
