import Tidemark
import TidemarkModel
import TidemarkRecording
import TidemarkSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What `ingest` and `run` share when they start the engine.
enum EngineStart {
    /// Refuses an upstream log that cannot be read. It would look like a complete log without the missing events, which
    /// would then be recorded as lost.
    static func checkReadable(_ path: String) throws(Failure) {
        guard access(path, R_OK) != 0 else { return }
        throw Failure(
            .unavailable, "upstream_failed", "the upstream's log cannot be read",
            place: "\(path): \(SystemError.last.text)",
            outcome: "nothing was done", advice: "pass a log that exists to --upstream file:PATH")
    }

    static func failure(_ error: InputError) -> Failure {
        Failure(
            .inputOutput, "input_output", error.message, place: "standard input",
            outcome: "the input before it is stored", advice: "feed the rest of the stream again")
    }

    /// Tells the user that the database was damaged and replaced by an empty one.
    ///
    /// - Parameters:
    ///   - journal: The journal of a cache that has been opened.
    ///   - found: The journal's report from before the cache was opened.
    ///   - recorder: The recording, which ends if the database was replaced after the recording began.
    static func reportRebuilt(
        _ path: String, _ journal: SQLiteJournal, found: OpeningReport, _ recorder: RecordingWriter?, to errors: Output
    ) async throws {
        let report = await journal.openingReport
        guard case .rebuilt(let movedTo, let reason) = report else { return }
        if report != found { await recorder?.finish("the database was damaged and was created anew") }
        let layerCount = await journal.salvagedLayerCount
        let edits = layerCount == 0 ? "" : " with the \(HumanText.count(layerCount, "pending edit")) that could be read"
        let notice = Failure(
            .ok, "rebuilt", "the database was damaged (\(reason))", place: path,
            outcome: "it was moved to \(movedTo), and an empty one takes its place\(edits)",
            advice: "feed the stream again from its beginning")
        try errors.writeLine(errors.style.paint(notice.line, .yellow))
        try errors.flush()
    }
}
