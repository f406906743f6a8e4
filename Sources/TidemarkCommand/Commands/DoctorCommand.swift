import ArgumentParser
import TidemarkSQLite

/// `tidemark doctor`: examines a database and everything around it, and gives advice.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examine a database and its surroundings, and say what to do.",
        discussion: """
            Examines the file, SQLite's version, the file system, free space and permissions, the writer's lock, the \
            log, the remains of a repair, and the content of the file. Writes nothing; may run beside an ingest, and \
            on a file that may only be read. Ends with 0 when there is no problem, with 65 when there is one, with 66 \
            when the file does not exist, and with 78 when another program or a newer Tidemark \
            made it, or when its key is missing or wrong.

            EXAMPLE
              tidemark doctor --db cache.db
              tidemark doctor --db cache.db --json
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
        let examination = Examination.of(database.path, encryption: try database.key.encryption()) { records in
            let views = try StoredViews(records)
            return views.count > 0
                ? "\(HumanText.count(views.count, "view is", "views are")) defined, \(views.stored)" : nil
        }
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
