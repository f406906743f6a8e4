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

/// The steps that `ingest` and `run` share when they start and stop the engine.
enum EngineStart {
    /// Refuses an upstream that cannot be read. It would otherwise look like a log without the missing events, which
    /// would then be lost.
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

    /// Reports to the user that the database was rebuilt and is therefore empty.
    ///
    /// - Parameters:
    ///   - journal: The journal of a cache that has been opened.
    ///   - found: The report of the journal before the cache was opened.
    ///   - recorder: The recording, which ends here when the database that it began with has been moved aside since.
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
