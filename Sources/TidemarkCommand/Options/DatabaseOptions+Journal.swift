import Tidemark
import TidemarkSQLite

extension DatabaseOptions {
    /// Opens the database for writing. Reports on standard error when entities are moved into blocks; on a terminal,
    /// with progress.
    ///
    /// - Throws: ``/Tidemark/StorageError``; ``Failure`` if the key file cannot be used.
    func openJournal() async throws -> SQLiteJournal {
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.encryption = try key.encryption()
        configuration.onMove = { [path] moved, total in
            // A separate output, because this is called on the journal's queue.
            let output = Output.errors()
            do throws(Failure) {
                try DatabaseOptions.write(moved, of: total, path, to: output)
                try output.flush()
            } catch {
                // Standard error is closed; the entities are moved all the same.
                return
            }
        }
        return try await SQLiteJournal.open(configuration)
    }

    private static func write(_ moved: Int64, of total: Int64, _ path: String, to output: Output) throws(Failure) {
        let all = HumanText.count(total, "entity", "entities")
        let text =
            output.isTerminal
            ? "\(path): \(HumanText.count(moved)) of \(all) moved into blocks" : "\(path): moved \(all) into blocks"
        if output.isTerminal {
            try output.write("\r\u{1B}[K".utf8)
            try output.write(output.style.paint(Printable.text(text), .dim).utf8)
            if moved == total { try output.write("\r\u{1B}[K".utf8) }
        } else if moved == total {
            try output.write((Printable.text(text) + "\n").utf8)
        }
    }
}
