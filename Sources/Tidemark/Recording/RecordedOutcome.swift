import TidemarkModel

/// The outcome of a step, which a replay must reproduce.
package struct RecordedOutcome: Hashable, Sendable {
    /// A request to an upstream, or a pause before one.
    package struct Request: Hashable, Sendable {
        package var library: ByteString
        package var attempt: UInt64
        /// The first sequence that is asked for; nil for a pause.
        package var sequence: EventSequence?
        /// The length of the pause; nil for a request.
        package var milliseconds: Int64?
    }

    /// The state of a library after the step.
    package struct Place: Hashable, Sendable {
        package var library: ByteString
        package var epoch: ByteString
        package var sequence: EventSequence?
        package var phase: LibraryPhase
        /// The lost ranges; nil when they did not change, because there may be a thousand.
        package var lost: [LostRange]?

        package init(
            library: ByteString, epoch: ByteString, sequence: EventSequence?, phase: LibraryPhase, lost: [LostRange]?
        ) {
            self.library = library
            self.epoch = epoch
            self.sequence = sequence
            self.phase = phase
            self.lost = lost
        }
    }

    /// The counts that the step added.
    package var counts = EventCounts()
    /// The libraries whose state changed, in the order they were first seen.
    package var libraries: [Place] = []
    package var requests: [Request] = []
    /// The number of layers that are pending after the step; nil when it did not change.
    package var pendingCount: Int?
    /// The reason why the step was refused; nil when it was not.
    package var refusal: String?

    package init() {}
}
