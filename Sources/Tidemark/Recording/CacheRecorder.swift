import TidemarkModel

/// Told of everything that changes a cache, in the order in which it took effect, so that it can be done again.
///
/// A cache without one does nothing for it. What is told is values that the cache holds anyway: writing them down is the
/// recorder's own work, beside the engine.
///
/// - Source: Protocol/recordings.md.
package protocol CacheRecorder: Sendable {
    /// Takes one step. Called on the cache's executor; it must not wait.
    func record(_ entry: RecordedEntry)

    /// Returns when a reader of input may go on, so that a recorder need not drop what it has no room for. Requests and
    /// timers never wait for it.
    func waitForRoom() async

    /// What follows cannot be done again from what was recorded.
    func end(because reason: String)
}

/// One step, when it took effect, and what came of it.
package struct RecordedEntry: Sendable {
    package var step: RecordedStep
    /// Milliseconds since 1970, as the cache dated it.
    package var at: Int64
    package var outcome: RecordedOutcome
    /// Notifications that it caused: nobody else knows who observed.
    package var toldCount: Int64

    package init(step: RecordedStep, at: Int64, outcome: RecordedOutcome, toldCount: Int64) {
        self.step = step
        self.at = at
        self.outcome = outcome
        self.toldCount = toldCount
    }
}
