import TidemarkModel

/// Records every change of a cache, in the order in which the changes took effect, so that they can be replayed.
///
/// A cache without a recorder does no work for one. The recorder gets values that the cache has anyway, and encodes and
/// writes them beside the engine.
///
/// - Source: Protocol/recordings.md.
package protocol CacheRecorder: Sendable {
    /// Records one step. Called on the cache's executor; must not block.
    func record(_ entry: RecordedEntry)

    /// Returns when a reader of input may continue, so that the recorder need not drop steps for lack of room. Requests
    /// and timers never wait for it.
    func waitForRoom() async

    /// Ends the recording, because it cannot replay the steps that follow.
    func end(because reason: String)
}

/// A step, when it took effect, and its outcome.
package struct RecordedEntry: Sendable {
    /// The step.
    package var step: RecordedStep
    /// When the step took effect, in milliseconds since 1970, by the cache's clock.
    package var at: Int64
    /// What the step changed, or why it was refused.
    package var outcome: RecordedOutcome
    /// How many notifications the step caused. Recorded, because a recording does not know the observers.
    package var toldCount: Int64

    package init(step: RecordedStep, at: Int64, outcome: RecordedOutcome, toldCount: Int64) {
        self.step = step
        self.at = at
        self.outcome = outcome
        self.toldCount = toldCount
    }
}
