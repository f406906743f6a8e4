import TidemarkModel

extension IngestCommand {
    /// The only place of this command that touches the engine.
    ///
    /// - Parameters:
    ///   - input: Read until its end, or until ``ByteInput/Piece/stopped``; then the summary says interrupted.
    ///   - show: Called after a block of input was applied.
    ///   - acknowledge: Called after each COMMIT, with what it made durable.
    func ingest(
        _ input: ByteInput, show: (IngestProgress) throws(Failure) -> Void,
        acknowledge: (IngestProgress) throws(Failure) -> Void
    ) async throws(Failure) -> IngestSummary {
        throw Failure(
            .internal, "not_built", "this build cannot write a database", outcome: "nothing was done",
            advice: "build it with the engine")
    }
}
