import ArgumentParser
import TidemarkModel
import TidemarkSQLite
import TidemarkJSON

/// `tidemark list`: prints entities in key order, a page at a time.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List entities in key order, or those that meet a condition in another order.",
        discussion: """
            Prints one page; to go on, pass the last key to --after. A page over several libraries also ends in a \
            library: pass that to --after-library. With --json the page is {\"entities\":[…],\"next\":key|null}, the \
            entities as they are visible: with pending edits applied.

            With --type, --where takes a condition as in a rule, and --order a field to order by; indexed fields (run \
            --index, ingest --index) make both fast. --after continues at the entity's current place. With --json a \
            page with --where or --order reports how it was read: \
            \"plan\":{\"method\":\"walk\"|\"range\"|\"scan\",\"index\":…,\"read\":n}.

            EXAMPLE
              tidemark list --db cache.db --type file --limit 20
              tidemark list --db cache.db --type file --where '{"path":"/kind","eq":"image"}' --order /size:desc
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var format: FormatOptions
    @Option(help: ArgumentHelp("Only entities of this resource type.", valueName: "name"))
    var type: String?
    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("Only entities that meet this condition.", valueName: "json"))
    var predicate: String?
    @Option(
        help: ArgumentHelp(
            "Order by this field, a JSON Pointer; add :desc for descending order. May be given several times.",
            valueName: "pointer"))
    var order: [OrderComponent] = []
    @Option(help: ArgumentHelp("Continue after this entity.", valueName: "type:id"))
    var after: EntityName?
    @Option(help: ArgumentHelp("The library of --after, when the page covers several.", valueName: "id"))
    var afterLibrary: String?
    @Option(help: ArgumentHelp("The number of entities at most, 1 to 100,000.", valueName: "n"))
    var limit = 100

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit takes 1 to 100000, not \(limit).") }
        if type == nil, predicate != nil || !order.isEmpty {
            throw ValidationError("--where and --order need --type.")
        }
        for component in order { try component.validate() }
        if afterLibrary != nil, after == nil { throw ValidationError("--after-library needs --after.") }
    }

    func run() async throws {
        let reader = try CacheReader(database)
        // One more entity than requested shows whether there is a next page.
        let libraries = try reader.libraries().map(\.status.library)
        let after = startKey(libraries)
        var entities: [EntitySnapshot]
        var plan: ReadPlan?
        if let type, predicate != nil || !order.isEmpty {
            let rule = try RuleText.rule(type: type, where: predicate, order: order)
            (entities, plan) = try reader.select(
                EntitySelection(rule: rule, library: scope.library, after: after, countMax: limit + 1))
        } else {
            entities = try reader.page(
                library: scope.library, type: type.map { ByteString($0) }, after: after, countMax: limit + 1)
        }
        let hasNext = entities.count > limit
        if hasNext { entities.removeLast(entities.count - limit) }
        let output = Output.standard()
        let isMixed = scope.library == nil && libraries.count > 1
        if format.isJSON {
            try output.writeLine(json(entities, hasNext: hasNext, isMixed: isMixed, plan))
        } else {
            try writeTable(entities, isMixed: isMixed, to: output)
            if hasNext, let last = entities.last { try writeNext(after: last.key, isMixed: isMixed, to: output) }
        }
        try output.flush()
        try reader.reportDamage()
    }

    private func startKey(_ libraries: [ByteString]) -> EntityKey? {
        guard let after else { return nil }
        let library = afterLibrary.map { ByteString($0) } ?? scope.library ?? libraries.first ?? ""
        return after.key(library: library)
    }

    private func json(_ entities: [EntitySnapshot], hasNext: Bool, isMixed: Bool, _ plan: ReadPlan?) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.name("entities")
            line.array { line in
                for entity in entities { line.value(json: entity.payload) }
            }
            line.member("next", hasNext ? entities.last?.key.text : nil)
            if isMixed { line.member("next_library_id", hasNext ? entities.last?.key.library : nil) }
            if let plan { line.member(plan: plan) }
        }
        return line.bytes
    }

    private func writeTable(_ entities: [EntitySnapshot], isMixed: Bool, to output: Output) throws(Failure) {
        guard !entities.isEmpty else { return try output.writeLine("No entities.") }
        var columns: [Table.Column] = [
            .init(title: "KEY"), .init(title: "SEQUENCE", alignment: .right), .init(title: "SIZE", alignment: .right),
            .init(title: "RESOURCE"),
        ]
        if isMixed { columns.insert(.init(title: "LIBRARY"), at: 0) }
        var table = Table(columns)
        for entity in entities {
            var cells = [
                entity.key.text.description, entity.sequence.map { String($0.rawValue) } ?? "-",
                HumanText.byteCount(entity.payload.count),
                // 2,000 bytes are enough for any terminal; a resource may have megabytes.
                ByteString.excerpt(of: entity.payload, byteCount: 2_000),
            ]
            if isMixed { cells.insert(entity.key.library.description, at: 0) }
            table.append(cells)
        }
        try table.write(to: output, columnCountMax: output.isTerminal ? output.columnCount : 160)
    }

    private func writeNext(after key: EntityKey, isMixed: Bool, to output: Output) throws(Failure) {
        let library = isMixed ? " --after-library '\(Printable.text(key.library))'" : ""
        let text = "There is more: pass --after '\(Printable.text(key.text))'\(library)"
        try output.writeLine(output.style.paint(text, .dim))
    }
}
