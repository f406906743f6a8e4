import ArgumentParser
import Tidemark
import TidemarkModel
import TidemarkWire

/// `tidemark remove`. What touches the engine stands in `RemoveCommand+Engine.swift`.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Forget entities.",
        discussion: """
            Forgets the entities that fit everything that is given: their names, their type, a part of type:id. It is no \
            delete: no server is told, and the next event of an entity brings it back. With --cascade, what the policy \
            deletes along goes too. Without --library, the library of events that name none. Needs the database's lock.

            EXAMPLE
              tidemark remove --db cache.db --dry-run --type file --matching draft
              tidemark remove --db cache.db album:summer --cascade --policy policy.graphqls
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var format: FormatOptions
    @Option(help: ArgumentHelp("Only entities of this type.", valueName: "type"))
    var type: String?
    @Option(
        help: ArgumentHelp(
            "Only entities whose type:id holds this text; ASCII letters in either case.", valueName: "text"))
    var matching: String?
    @Flag(name: .customLong("cascade"), help: "Also what the policy deletes along with them.")
    var cascades = false
    @Flag(name: .customLong("dry-run"), help: "Say what would go, and change nothing.")
    var isDryRun = false
    @Argument(help: ArgumentHelp("Entities, as type:id.", valueName: "type:id"))
    var names: [EntityName] = []

    func validate() throws {
        if names.isEmpty, type == nil, matching == nil {
            throw ValidationError("Say what to remove: names, --type or --matching.")
        }
        if let type, let other = names.first(where: { $0.key(library: "").type != ByteString(type) }) {
            throw ValidationError("\(other.text) is not of the type that --type names.")
        }
        if matching == "" { throw ValidationError("--matching holds no text.") }
        if cascades, policy.file == nil {
            throw ValidationError("--cascade needs --policy, which says what goes along.")
        }
    }

    /// One for each type that is named, or one for all.
    var removals: [Removal] {
        var all = Removal(library: scope.library ?? "")
        all.resourceType = type.map { ByteString($0) }
        all.matching = matching.map { ByteString($0) }
        all.cascades = cascades
        if names.isEmpty { return [all] }
        let named = Dictionary(grouping: names.map { $0.key(library: all.library) }, by: \.type)
        return named.sorted { $0.key < $1.key }.map { type, keys in
            var removal = all
            removal.resourceType = type
            removal.ids = Set(keys.map(\.id)).sorted()
            return removal
        }
    }

    func run() async throws {
        let outcome = try await remove(try policy.policy())
        let output = Output.standard()
        switch outcome {
        case .removed(let count):
            if format.isJSON {
                var line = JSONLine()
                line.object { line in
                    line.member("dry_run", false)
                    line.member("removed", count)
                }
                try output.writeLine(line.bytes)
            } else {
                try output.writeLine("\(HumanText.count(count)) removed")
            }
        case .would(let keys):
            if format.isJSON {
                var line = JSONLine()
                line.object { line in
                    line.member("dry_run", true)
                    line.member("removed", 0)
                    line.name("keys")
                    line.array { line in
                        for key in keys { line.value(key.text) }
                    }
                }
                try output.writeLine(line.bytes)
            } else {
                for key in keys { try output.writeLine(Printable.text(key.text)) }
                try output.writeLine("\(HumanText.count(keys.count)) would be removed")
            }
        }
        try output.flush()
    }
}
