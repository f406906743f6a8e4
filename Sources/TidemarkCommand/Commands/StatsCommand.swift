import ArgumentParser
import TidemarkModel
import TidemarkStore

/// `tidemark stats`: counters and sizes.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show counters and sizes.",
        discussion: """
            Counters are totals since the database was made. What only a running cache has, such as observers and \
            memory, reads 0 here.

            EXAMPLE
              tidemark stats --db cache.db --json
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
        let reader = try CacheReader(path: database.path)
        let output = Output.standard()
        if format.isJSON {
            try output.writeLine(json(reader))
        } else {
            try writeText(reader, to: output)
        }
        try output.flush()
    }

    /// - Source: contract sections 7 and 9.
    private func json(_ reader: CacheReader) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("entities", reader.entityCount)
            for name in ["queries", "observers", "pending", "memory_bytes"] as [ByteString] { line.member(name, 0) }
            line.member("disk_bytes", reader.byteCount)
            line.member("hits", 0)
            line.name("misses")
            line.object { _ in }
            line.member("evictions", 0)
            line.member("notifications", 0)
            line.libraries(reader.libraries.map(\.status))
            line.member("storage", "ok" as ByteString?)
            line.counts(reader.counts)
            line.name("ignored_kinds")
            line.object { line in
                for (name, count) in reader.ignoredKinds.sorted(by: { $0.key < $1.key }) { line.member(name, count) }
            }
        }
        return line.bytes
    }

    private func writeText(_ reader: CacheReader, to output: Output) throws(Failure) {
        let counts = reader.counts
        let rows: [(String, String)] = [
            ("entities", HumanText.count(reader.entityCount)),
            ("libraries", HumanText.count(reader.libraries.count)),
            ("on disk", HumanText.byteCount(reader.byteCount)),
            ("lines read", HumanText.count(counts.lines)),
            ("events", HumanText.count(counts.events)),
            ("  applied", HumanText.count(counts.applied)),
            ("  duplicate", HumanText.count(counts.duplicate)),
            ("  ignored", HumanText.count(counts.ignored)),
            ("  quarantined", HumanText.count(counts.quarantined)),
            ("  held, never applied", HumanText.count(counts.held)),
            ("members quarantined", HumanText.count(counts.membersQuarantined)),
            ("reconciled", HumanText.count(counts.reconciled)),
        ]
        let width = rows.map(\.0.count).max() ?? 0
        for (name, value) in rows {
            try output.writeLine(name + String(repeating: " ", count: width - name.count + 2) + value)
        }
        for (name, count) in reader.ignoredKinds.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(10) {
            try output.writeLine("  ignored \(Printable.text(name)): \(HumanText.count(count))")
        }
    }
}
