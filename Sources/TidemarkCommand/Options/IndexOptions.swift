import ArgumentParser
import Tidemark

extension FieldIndex: ExpressibleByArgument {
    /// Parses an index such as `file./kind`.
    public init?(argument: String) {
        self.init(argument)
    }
}

/// Options for field indexes.
struct IndexOptions: ParsableArguments {
    @Option(
        name: .customLong("index"),
        help: ArgumentHelp(
            "A field to keep in order, such as file./kind: the type, a full stop, a JSON Pointer. May be given several times; "
                + "the database keeps it from then on.", valueName: "type.pointer"))
    var added: [FieldIndex] = []
    @Option(
        name: .customLong("drop-index"),
        help: ArgumentHelp("An index to drop. May be given several times.", valueName: "type.pointer"))
    var dropped: [FieldIndex] = []

    func validate() throws {
        guard added.count <= FieldIndex.countMax else {
            throw ValidationError(
                "--index is given \(added.count) times; a database has at most \(FieldIndex.countMax).")
        }
        if let both = added.first(where: { dropped.contains($0) }) {
            throw ValidationError("\(both) is named by --index and --drop-index: pass one of them.")
        }
    }

    /// Applies the options.
    ///
    /// - Parameter errors: Shows the progress of building, if it is a terminal.
    func apply(to configuration: inout CacheConfiguration, errors: Output) {
        configuration.fieldIndexes = added
        configuration.droppedFieldIndexes = dropped
        guard errors.isTerminal else { return }
        configuration.onIndexProgress = { progress in
            let text =
                "index \(progress.index): \(HumanText.count(progress.entityCount)) of "
                + HumanText.count(progress.totalCount, "entity", "entities")
            // A separate output, because this is called on the journal's queue.
            let output = Output.errors()
            do throws(Failure) {
                try output.write("\r\u{1B}[K".utf8)
                try output.write(output.style.paint(Printable.text(text), .dim).utf8)
                if progress.entityCount == progress.totalCount { try output.write("\r\u{1B}[K".utf8) }
                try output.flush()
            } catch {
                // Standard error is closed; the index is built all the same.
                return
            }
        }
    }
}
