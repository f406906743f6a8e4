import ArgumentParser
import TidemarkModel
import TidemarkSQLite
import TidemarkJSON

/// `tidemark export`: prints every entity, one a line.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print every entity, one JSON object a line.",
        discussion: """
            Lines are {\"library_id\",\"resource_type\",\"id\",\"resource\",\"sequence\"} in key order: two caches \
            with the same content print the same bytes. Resources are printed as the server sent them, without pending \
            edits; tidemark pending lists those. With --json the output is the same.

            EXAMPLE
              tidemark export --db cache.db --type file > files.ndjson
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var format: FormatOptions
    @Option(help: ArgumentHelp("Only entities of this resource type.", valueName: "name"))
    var type: String?
    @Option(name: .customLong("output"), help: ArgumentHelp("Write to this file.", valueName: "file"))
    var outputPath: String?

    func run() async throws {
        let reader = try CacheReader(database)
        let output = if let outputPath { try Output.file(outputPath) } else { Output.standard() }
        try reader.forEach(library: scope.library, type: type.map { ByteString($0) }) { entity throws(Failure) in
            try output.writeLine(ExportCommand.json(entity))
            return !output.isClosed
        }
        try output.flush()
        try reader.reportDamage()
    }

    /// Returns one entity as a line of JSON.
    static func json(_ entity: EntitySnapshot) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("library_id", entity.key.library)
            line.member("resource_type", entity.key.type)
            line.member("id", entity.key.id)
            line.member("resource", json: entity.payload)
            line.member("sequence", entity.sequence)
        }
        return line.bytes
    }
}
