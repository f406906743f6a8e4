import ArgumentParser
import TidemarkModel
import TidemarkSQLite

/// `tidemark get`: prints one entity.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print one entity.",
        discussion: """
            Prints the resource on one line: as it arrived, or with its pending edits applied; --json then has \
            \"pending\":true. A missing entity is an answer, not an error: the status is 0, the text form reports it \
            on standard error, and --json gives \"entity\":null and the reason in \"miss\". Without --library all \
            libraries are searched, the one of events without a library first.

            EXAMPLE
              tidemark get --db cache.db file:0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c001
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var format: FormatOptions
    @Argument(help: ArgumentHelp("The entity, as type:id.", valueName: "type:id"))
    var name: EntityName

    func run() async throws {
        let reader = try CacheReader(database)
        let answer = try reader.answer(to: name, library: scope.library)
        let output = Output.standard()
        try answer.write(to: output, isJSON: format.isJSON, absent: "\(Printable.text(name.text)) is not in the cache")
        try output.flush()
        try reader.reportDamage()
    }
}

extension VisibleAnswer {
    /// Prints the entity, or on standard error why there is none; as JSON, one line in both cases.
    ///
    /// - Parameter absent: The text for a missing entity, which the reason follows.
    func write(to output: Output, isJSON: Bool, absent: String) throws {
        if isJSON {
            try output.writeLine(json)
        } else if let entity = answer.entity {
            try output.writeLine(entity.payload)
        } else {
            let errors = Output.errors()
            try errors.writeLine("tidemark: \(absent) (\(answer.missCode))")
            try errors.flush()
        }
    }
}
