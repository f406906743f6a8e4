import ArgumentParser
import Tidemark
import TidemarkSQLite

/// `tidemark rotate-key`: encrypts a database under another key.
struct RotateKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-key",
        abstract: "Encrypt a database under another key.",
        discussion: """
            Seals the key of the database's pages under the new key, and overwrites what was sealed under the old one. \
            The pages are not written again, so it takes no longer for a large database. If the process ends in \
            between, the database opens with one of the two keys: the old one as long as nothing was changed. Needs \
            the database's lock.

            EXAMPLE
              tidemark rotate-key --db cache.db --key-file old.key --new-key-file new.key
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(
        name: .customLong("new-key-file"),
        help: ArgumentHelp("The new key: 64 hexadecimal digits or 32 bytes, mode 0600.", valueName: "file"))
    var newKeyFile: String

    func validate() throws {
        if database.key.path == nil { throw ValidationError("--key-file is missing: pass the present key.") }
        if newKeyFile.isEmpty { throw ValidationError("--new-key-file is empty: pass a file.") }
    }

    func run() async throws {
        guard let old = try database.key.encryption() else { return }
        let new = try EncryptionKeyFile.read(newKeyFile)
        do throws(StorageError) {
            try await SQLiteJournal.rotateKey(path: database.path, from: old, to: new)
        } catch {
            throw Failure(error, isReader: false)
        }
        let output = Output.standard()
        try output.writeLine("the database is encrypted under the new key")
        try output.flush()
    }
}
