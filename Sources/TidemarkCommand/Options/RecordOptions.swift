import ArgumentParser

/// The options for recording a run.
struct RecordOptions: ParsableArguments {
    @Option(
        name: .customLong("record"),
        help: ArgumentHelp(
            "Record the input and what became of it in this file, which must not be there yet, for tidemark replay and tidemark bisect.",
            valueName: "file"))
    var path: String?
    @Option(
        name: .customLong("record-limit-kb"),
        help: ArgumentHelp(
            "What the recording may take; beyond, the oldest steps make room.", valueName: "kb"))
    var limit = 65_536

    private static let limitMax = 1 << 30

    func validate() throws {
        if path == "" { throw ValidationError("--record names no file.") }
        guard (64...RecordOptions.limitMax).contains(limit) else {
            throw ValidationError("--record-limit-kb takes 64 to \(RecordOptions.limitMax), not \(limit).")
        }
    }

    var byteCountMax: Int64 { Int64(limit) * 1_024 }
}
