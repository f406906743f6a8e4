import ArgumentParser

/// Options for recording a run.
struct RecordOptions: ParsableArguments {
    @Option(
        name: .customLong("record"),
        help: ArgumentHelp(
            "Record the input and its outcome in this new file, for tidemark replay and tidemark bisect.",
            valueName: "file"))
    var path: String?
    @Option(
        name: .customLong("record-limit-kb"),
        help: ArgumentHelp(
            "The size of the recording; above it, the oldest steps are dropped.", valueName: "kb"))
    var limit = 65_536

    private static let limitMax = 1 << 30

    func validate() throws {
        if path == "" { throw ValidationError("--record is empty: pass a file.") }
        guard (64...RecordOptions.limitMax).contains(limit) else {
            throw ValidationError("--record-limit-kb takes 64 to \(RecordOptions.limitMax), not \(limit).")
        }
    }

    var byteCountMax: Int64 { Int64(limit) * 1_024 }
}
