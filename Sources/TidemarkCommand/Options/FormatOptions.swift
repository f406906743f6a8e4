import ArgumentParser

/// For whom a command prints.
struct FormatOptions: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON, one value a line, instead of text for people.")
    var isJSON = false
}
