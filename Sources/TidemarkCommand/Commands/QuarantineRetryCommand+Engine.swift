import TidemarkModel

extension QuarantineRetryCommand {
    /// The only place of this command that touches the engine.
    func retry() async throws(Failure) -> Summary {
        throw Failure(
            .internal, "not_built", "this build cannot write a database", outcome: "nothing was done",
            advice: "build it with the engine")
    }
}
