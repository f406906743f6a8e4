import TidemarkModel

/// What a step came to: what somebody who does it again has to arrive at.
package struct RecordedOutcome: Hashable, Sendable {
    /// A question for an upstream, or a pause before one.
    package struct Request: Hashable, Sendable {
        package var library: ByteString
        package var attempt: UInt64
        /// Where the question begins; nil for a pause.
        package var sequence: EventSequence?
        /// The pause; nil for a question.
        package var milliseconds: Int64?
    }

    /// Where a library stands now.
    package struct Place: Hashable, Sendable {
        package var library: ByteString
        package var epoch: ByteString
        package var sequence: EventSequence?
        package var phase: LibraryPhase
        /// nil when it is what it was: there may be a thousand ranges.
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

    /// What was counted.
    package var counts = EventCounts()
    /// Libraries that stand elsewhere now, in the order they were first seen.
    package var libraries: [Place] = []
    package var requests: [Request] = []
    /// Layers that are pending now; nil when there are as many as before.
    package var pendingCount: Int?
    /// Why nothing was done; nil when it was.
    package var refusal: String?

    package init() {}
}
