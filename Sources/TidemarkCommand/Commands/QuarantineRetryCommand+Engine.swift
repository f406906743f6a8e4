import TidemarkModel

extension QuarantineRetryCommand {
    /// The only place of this command that touches the engine.
    func retry() async throws(Failure) -> Summary {
        throw Failure(
            .internal, "not_built", "records cannot be retried yet", place: database.path,
            outcome: "they stay in quarantine", advice: "feed the corrected lines to tidemark ingest")
    }
}
