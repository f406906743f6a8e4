import ArgumentParser
import TidemarkJSON
import TidemarkLiveViews
import TidemarkModel
import TidemarkViews

/// `tidemark view explain`: prints how a view is answered, and why an entity is in it or not.
struct ViewExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a view: its plan, the entities it lacks, and why an entity is in it or not.",
        discussion: """
            With --entity, the rows that the entity is in, or the first condition that failed, with the value. With --json \
            it is {\"plan\":[…],\"missing\":[…]} and {\"in\":true,\"rows\":[…]} or {\"in\":false,\"why\":{…}}.

            EXAMPLE
              tidemark view explain --db cache.db --view open-issues.json
              tidemark view explain open-issues --db cache.db --entity issue:17
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var format: FormatOptions
    @Option(help: ArgumentHelp("The entity to look for.", valueName: "type:id"))
    var entity: EntityName?

    func run() async throws {
        let view = try FileView(view, database, library: scope.library)
        let plan = view.set.plan(view.window)
        let missing = view.set.missing(view.window)
        var explanation: ViewEntityExplanation?
        if let entity {
            let key = entity.key(library: "")
            explanation = view.set.explain(ViewKey(type: key.type, id: key.id), view.window, view.entities)
            if let failure = view.entities.failure { throw failure }
        }
        let output = Output.standard()
        if format.isJSON {
            let explained = ViewExplanation(plan: plan, missing: missing, entity: explanation)
            var line = JSONLine()
            line.object { $0.members(of: explained) }
            try output.writeLine(line.bytes)
        } else {
            try write(plan, to: output)
            try write(missing, to: output)
            if let entity, let explanation { try write(explanation, of: entity, to: output) }
        }
        try output.flush()
        try view.reader.reportDamage()
    }

    // MARK: Sentences

    private func write(_ plan: [ViewPlanLine], to output: Output) throws(Failure) {
        var table = Table([
            .init(title: "STEP"), .init(title: "SOURCE"), .init(title: "FOUND BY"),
            .init(title: "ROWS", alignment: .right),
        ])
        for step in plan {
            table.append([step.operation, step.source ?? "", step.index ?? "", HumanText.count(step.rows)])
        }
        try table.write(to: output, columnCountMax: output.isTerminal ? output.columnCount : 160)
    }

    private func write(_ missing: [ViewKey], to output: Output) throws(Failure) {
        guard !missing.isEmpty else { return }
        let names = missing.map { Printable.text($0.text) }.joined(separator: ", ")
        try output.writeLine("Asked for and not in the cache: \(names)")
    }

    private func write(
        _ explanation: ViewEntityExplanation, of entity: EntityName, to output: Output
    ) throws(Failure) {
        let name = Printable.text(entity.text)
        switch explanation {
        case .rows(let keys):
            try output.writeLine("\(name) is in \(HumanText.count(keys.count, "row")):")
            for key in keys { try output.writeLine("  " + Printable.text(ByteString(key.text))) }
        case .failed(let failure):
            try output.writeLine("\(name) is in no row: \(Printable.text(failure.sentence))")
        }
    }
}
