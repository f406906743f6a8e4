import ArgumentParser
import TidemarkSQLite

/// The option `--key-file`.
struct KeyFileOptions: ParsableArguments {
    @Option(
        name: .customLong("key-file"),
        help: ArgumentHelp(
            "The key of an encrypted database: 64 hexadecimal digits or 32 bytes, mode 0600.", valueName: "file"))
    var path: String?

    func validate() throws {
        if path?.isEmpty == true { throw ValidationError("--key-file is empty: pass a file.") }
    }

    /// Reads the key; nil without the option.
    ///
    /// - Throws: ``Failure`` if the file is missing, readable for others, or not a key.
    func encryption() throws(Failure) -> (any DataFileEncryption)? {
        guard let path else { return nil }
        return try EncryptionKeyFile.read(path)
    }
}
