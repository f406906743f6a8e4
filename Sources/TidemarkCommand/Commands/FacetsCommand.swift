import ArgumentParser
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkJSON

/// `tidemark facets`: counts the entities for each value of a field.
struct FacetsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "facets",
        abstract: "Count the values of a field.",
        discussion: """
            Prints each value and how many entities have it, the most frequent first, as pending edits show them. A field \
            that is indexed (run --index, ingest --index) is counted without reading entities. With --json it is \
            {\"values\":[{\"value\":…,\"count\":n}…],\"missing\":n,\"distinct\":n,\"entities\":n,\"plan\":{…}}.

            EXAMPLE
              tidemark facets --db cache.db file /kind
              tidemark facets --db cache.db file /extension --where '{"path":"/size","gt":1000000}' --limit 10
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var format: FormatOptions
    @Argument(help: "The resource type.")
    var type: String
    @Argument(help: ArgumentHelp("The field, a JSON Pointer.", valueName: "pointer"))
    var pointer: String
    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("Only entities that meet this condition.", valueName: "json"))
    var predicate: String?
    @Option(help: ArgumentHelp("The number of values at most, 1 to 100,000.", valueName: "n"))
    var limit = 100

    func validate() throws {
        guard (1...ReadFacets.distinctCountMax).contains(limit) else {
            throw ValidationError("--limit takes 1 to \(ReadFacets.distinctCountMax), not \(limit).")
        }
    }

    func run() async throws {
        let path: FieldPath
        do throws(MembershipError) {
            path = try FieldPath(ByteString(pointer))
        } catch {
            throw Failure.usage("the pointer \(pointer) \(error.what)", advice: "see Protocol/indexes.md")
        }
        let rule = try RuleText.rule(type: type, where: predicate, order: [])
        let reader = try CacheReader(database)
        let facets = try reader.facets(
            path, of: EntitySelection(rule: rule, library: scope.library), countMax: limit)
        let output = Output.standard()
        if format.isJSON {
            try output.writeLine(json(facets))
        } else {
            try write(facets, to: output)
        }
        try output.flush()
        try reader.reportDamage()
    }

    private func json(_ facets: ReadFacets) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.name("values")
            line.array { line in
                for value in facets.values {
                    line.object { line in
                        line.member("value", json: value.json)
                        line.member("count", value.count)
                    }
                }
            }
            line.member("missing", facets.missingCount)
            line.member("distinct", facets.distinctCount)
            line.member("entities", facets.entityCount)
            line.member(plan: facets.plan)
        }
        return line.bytes
    }

    private func write(_ facets: ReadFacets, to output: Output) throws(Failure) {
        guard facets.entityCount > 0 else { return try output.writeLine("No entities.") }
        var table = Table([.init(title: "COUNT", alignment: .right), .init(title: "VALUE")])
        for value in facets.values {
            table.append([HumanText.count(value.count), ByteString.excerpt(of: value.json, byteCount: 2_000)])
        }
        try table.write(to: output, columnCountMax: output.isTerminal ? output.columnCount : 160)
        var notes: [String] = []
        let rest = facets.distinctCount - facets.values.count
        if rest > 0 { notes.append("\(HumanText.count(rest, "value")) more: raise --limit") }
        if facets.missingCount > 0 {
            notes.append("\(HumanText.count(facets.missingCount, "entity", "entities")) without the field")
        }
        if facets.plan.method == .scan {
            let read = HumanText.count(facets.plan.readCount, "entity", "entities")
            notes.append("\(read) read: an index (ingest --index \(type).\(pointer)) would avoid that")
        }
        for note in notes { try output.writeLine(output.style.paint(Printable.text(note), .dim)) }
    }
}
