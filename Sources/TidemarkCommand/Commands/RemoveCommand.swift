import ArgumentParser
import Tidemark
import TidemarkModel
import TidemarkJSON

/// `tidemark remove`: removes entities from the cache. The code that uses the engine is in
/// `RemoveCommand+Engine.swift`.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove entities from the cache.",
        discussion: """
            Removes from the cache the entities that match everything given: names, type, a part of type:id. This is \
            not a delete: no server learns of it, and the next event of an entity brings it back. With --cascade, the \
            entities that the policy deletes along with them are removed too. Without --library all libraries are \
            searched, and the answer names those in which entities were found. Needs the database's lock.

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
            "Only entities whose type:id contains this text; ASCII letters match in either case.", valueName: "text"))
    var matching: String?
    @Flag(name: .customLong("cascade"), help: "Also remove the entities that the policy deletes along with them.")
    var cascades = false
    @Flag(name: .customLong("dry-run"), help: "Print what would be removed, and change nothing.")
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
        if matching == "" { throw ValidationError("--matching is empty: pass a part of type:id.") }
        if cascades, policy.file == nil {
            throw ValidationError("--cascade needs --policy, which says what is deleted along.")
        }
    }

    /// Returns one removal for each type of the named entities, or a single one when none are named.
    func removals(in library: ByteString) -> [Removal] {
        var all = Removal(library: library)
        all.resourceType = type.map { ByteString($0) }
        all.matching = matching.map { ByteString($0) }
        all.cascades = cascades
        if names.isEmpty { return [all] }
        let named = Dictionary(grouping: names.map { $0.key(library: library) }, by: \.type)
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
        if format.isJSON {
            try output.writeLine(json(outcome))
        } else {
            if isDryRun { for key in outcome.keys { try output.writeLine(name(key, outcome)) } }
            try output.writeLine(
                "\(HumanText.count(outcome.count)) \(isDryRun ? "would be " : "")removed\(place(outcome))")
        }
        try output.flush()
    }

    private func json(_ outcome: Outcome) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("dry_run", isDryRun)
            line.member("removed", isDryRun ? 0 : outcome.count)
            if isSearch(outcome) {
                line.name("libraries")
                line.object { line in
                    for (library, count) in outcome.counts.sorted(by: { $0.key < $1.key }) where count > 0 {
                        line.member(library, count)
                    }
                }
            }
            guard isDryRun else { return }
            line.name("keys")
            line.array { line in
                for key in Set(outcome.keys.map(\.text)).sorted() { line.value(key) }
            }
        }
        return line.bytes
    }

    /// True if several libraries were searched because the user named none.
    private func isSearch(_ outcome: Outcome) -> Bool { scope.library == nil && outcome.counts.count > 1 }

    /// Returns the name of an entity, with its library when several were searched.
    private func name(_ key: EntityKey, _ outcome: Outcome) -> String {
        let text = Printable.text(key.text)
        return isSearch(outcome) ? "\(text) in library \"\(Printable.text(key.library))\"" : text
    }

    /// Returns the libraries in which entities were found, in words.
    private func place(_ outcome: Outcome) -> String {
        guard isSearch(outcome) else { return "" }
        let found = outcome.counts.filter { $0.value > 0 }.keys.sorted()
        let names = found.prefix(5).map { "\"\(Printable.text($0))\"" }.joined(separator: ", ")
        let rest = found.count > 5 ? " and \(HumanText.count(found.count - 5)) more" : ""
        return ", in \(HumanText.count(found.count)) of \(HumanText.count(outcome.counts.count)) libraries"
            + (found.isEmpty ? "" : ": \(names)\(rest)")
    }
}
