import ArgumentParser
import Foundation
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkJSON

/// `tidemark pending list`, which is also `tidemark pending`.
struct PendingListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List edits that no server has confirmed yet.",
        discussion: """
            The same as tidemark pending without a subcommand.

            EXAMPLE
              tidemark pending list --db cache.db
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
        let reader = try CacheReader(database)
        let layers = try reader.layers(library: scope.library)
        let output = Output.standard()
        if format.isJSON {
            try output.writeLine(PendingListCommand.json(layers))
        } else {
            try writeTable(layers, to: output)
        }
        try output.flush()
        try reader.reportDamage()
    }

    private static func json(_ layers: [ReadLayer]) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.name("pending")
            line.array { line in
                for layer in layers { line.value(layer.layer, outbox: layer.outbox) }
            }
        }
        return line.bytes
    }

    private func writeTable(_ layers: [ReadLayer], to output: Output) throws(Failure) {
        guard !layers.isEmpty else { return try output.writeLine("No pending edits.") }
        // Show the state of requests only if the cache sends some.
        let hasOutbox = layers.contains { $0.outbox != nil }
        let requestColumns: [Table.Column] =
            hasOutbox ? [.init(title: "OUTBOX"), .init(title: "ATTEMPTS", alignment: .right)] : []
        var table = Table(
            [
                .init(title: "PENDING ID"), .init(title: "STATE"), .init(title: "AGE", alignment: .right),
                .init(title: "LIBRARY"),
            ] + requestColumns + [.init(title: "CHANGES", alignment: .right), .init(title: "WHAT")])
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        for layer in layers {
            let library = layer.layer.library
            let request = [
                layer.outbox?.state.rawValue ?? "-", layer.outbox.map { HumanText.count($0.attempt) } ?? "-",
            ]
            table.append(
                [
                    layer.layer.pendingID.description, layer.layer.state.rawValue,
                    HumanText.duration(milliseconds: max(0, now - max(0, layer.createdAt))),
                    library.bytes.isEmpty ? "(default)" : library.description,
                ] + (hasOutbox ? request : [])
                    + [HumanText.count(layer.layer.operations.count), PendingListCommand.words(layer)])
        }
        try table.write(to: output, columnCountMax: output.isTerminal ? output.columnCount : 160)
    }

    /// The maximum number of changes to name: 20, which fills any terminal.
    private static let namedChangeCountMax = 20

    private static func words(_ layer: ReadLayer) -> String {
        let changes = zip(layer.layer.operations, layer.keys).prefix(namedChangeCountMax)
        let words = changes.map { operation, key in
            switch operation {
            case .put: "put \(key.text)"
            case .patch: "patch \(key.text)"
            case .keyedPut: "put \(key.text)"
            case .merge: "merge \(key.text)"
            case .delete: "delete \(key.text)"
            case .removeField(_, _, let field): "remove \(field) of \(key.text)"
            case .remove: "forget \(key.text)"
            }
        }
        return words.joined(separator: ", ") + (layer.keys.count > namedChangeCountMax ? ", …" : "")
    }
}
