import ArgumentParser
import TidemarkModel
import TidemarkSQLite
import TidemarkWire

/// `tidemark gaps`: where each library stands in its log, and what was lost.
struct GapsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gaps",
        abstract: "Show each library's position and the numbers that were lost.",
        discussion: """
            A number is lost when it never came and no upstream could bring it. Lost numbers mean that entities may be \
            older than the server's; the state then says stale.

            EXAMPLE
              tidemark gaps --db cache.db
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
        let reader = try CacheReader(path: database.path)
        let statuses = try reader.libraries().map(\.status).filter {
            scope.library == nil || $0.library == scope.library
        }
        let output = Output.standard()
        if format.isJSON {
            var line = JSONLine()
            line.object { line in line.libraries(statuses) }
            try output.writeLine(line.bytes)
        } else if statuses.isEmpty {
            try output.writeLine("No libraries.")
        } else {
            try LibraryTable.write(statuses, to: output)
        }
        try output.flush()
    }
}
