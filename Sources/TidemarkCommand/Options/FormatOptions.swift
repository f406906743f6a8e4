import ArgumentParser

/// The option `--json`.
struct FormatOptions: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON, one value a line, instead of text for people.")
    var isJSON = false
}
