import TidemarkModel

/// A recorder of every change of a cache, in the order in which the changes took effect, so that they can be replayed.
///
/// A cache without a recorder does no work for it. The recorder gets values that the cache holds anyway; it encodes and
/// writes them itself, concurrently with the engine.
///
/// - Source: Protocol/recordings.md.
package protocol CacheRecorder: Sendable {
    /// Records one step. Called on the cache's executor; it must not wait.
    func record(_ entry: RecordedEntry)

    /// Returns when a reader of input may continue, so that a recorder need not drop steps for lack of room. Requests
    /// and timers never wait for it.
    func waitForRoom() async

    /// Ends the recording: the steps that follow cannot be replayed from it.
    func end(because reason: String)
}

/// One step, the time when it took effect, and its outcome.
package struct RecordedEntry: Sendable {
    package var step: RecordedStep
    /// Milliseconds since 1970, as the cache dated it.
    package var at: Int64
    package var outcome: RecordedOutcome
    /// The number of notifications that the step caused, recorded because the recording does not know the observers.
    package var toldCount: Int64

    package init(step: RecordedStep, at: Int64, outcome: RecordedOutcome, toldCount: Int64) {
        self.step = step
        self.at = at
        self.outcome = outcome
        self.toldCount = toldCount
    }
}
