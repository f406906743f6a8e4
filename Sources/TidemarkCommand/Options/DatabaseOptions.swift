import ArgumentParser

/// The options `--db` and `--key-file`.
struct DatabaseOptions: ParsableArguments {
    @Option(name: .customLong("db"), help: ArgumentHelp("The database.", valueName: "file"))
    var path: String
    @OptionGroup var key: KeyFileOptions

    func validate() throws {
        if path.isEmpty { throw ValidationError("--db is empty: pass a file.") }
    }
}
