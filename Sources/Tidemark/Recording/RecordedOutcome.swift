import TidemarkModel

/// The outcome of a step, which a replay must reproduce.
package struct RecordedOutcome: Hashable, Sendable {
    /// A request to an upstream, or a pause before one.
    package struct Request: Hashable, Sendable {
        /// The library whose upstream is asked.
        package var library: ByteString
        /// The number of the attempt.
        package var attempt: UInt64
        /// The first sequence that is requested; nil for a pause.
        package var sequence: EventSequence?
        /// The length of the pause; nil for a request.
        package var milliseconds: Int64?
    }

    /// The state of a library after the step.
    package struct Place: Hashable, Sendable {
        /// The library.
        package var library: ByteString
        /// The epoch of its log; empty when the log has no name.
        package var epoch: ByteString
        /// The cursor; nil before the first.
        package var sequence: EventSequence?
        /// How the library relates to its log.
        package var phase: LibraryPhase
        /// The lost ranges; nil when they did not change, because there may be a thousand of them.
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
    /// The libraries whose state changed, in the order in which the cache first saw them.
    package var libraries: [Place] = []
    /// The requests to upstreams and the pauses that the step caused.
    package var requests: [Request] = []
    /// The number of pending layers after the step; nil when it did not change.
    package var pendingCount: Int?
    /// Why the step was refused; nil when it was not.
    package var refusal: String?

    package init() {}
}
