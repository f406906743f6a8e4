import ArgumentParser
import TidemarkModel
import TidemarkSQLite

/// `tidemark stats`: prints counters and sizes.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show counters and sizes.",
        discussion: """
            Counters are totals since the database was made. Values that only a running cache has, such as observers \
            and memory, are 0 here. The memory limit is that of a cache on this machine that is given none.

            EXAMPLE
              tidemark stats --db cache.db --json
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
        let reader = try CacheReader(database)
        let output = Output.standard()
        let statistics = try Statistics(of: reader)
        if format.isJSON {
            try output.writeLine(statistics.json)
        } else {
            try statistics.write(to: output)
        }
        try output.flush()
    }
}
