import ArgumentParser

/// The option `--db`.
struct DatabaseOptions: ParsableArguments {
    @Option(name: .customLong("db"), help: ArgumentHelp("The database.", valueName: "file"))
    var path: String

    func validate() throws {
        if path.isEmpty { throw ValidationError("--db is empty: pass a file.") }
    }
}
