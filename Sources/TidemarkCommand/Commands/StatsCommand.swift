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
            and memory, are 0 here.

            EXAMPLE
              tidemark stats --db cache.db --json
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
        let reader = try CacheReader(path: database.path)
        let output = Output.standard()
        let statistics = Statistics(
            libraries: try reader.libraries(), counts: try reader.counts(), ignoredKinds: try reader.ignoredKinds(),
            byteCount: reader.byteCount, queryCount: try reader.queryCount(), layerCount: try reader.layerCount(),
            http: try reader.httpTotals())
        if format.isJSON {
            try output.writeLine(statistics.json)
        } else {
            try statistics.write(to: output)
        }
        try output.flush()
    }
}
