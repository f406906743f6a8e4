import ArgumentParser

/// The option for the format of the output.
struct FormatOptions: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON, one value a line, instead of text for people.")
    var isJSON = false
}
