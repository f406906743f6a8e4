import TidemarkModel

/// When, and by which event, an entity was last written.
package struct EntityStamp: Hashable, Sendable {
    /// nil when the event had none.
    package var sequence: EventSequence?
    /// The library's generation; sequences compare only within one.
    package var generation: UInt32
    /// Milliseconds since 1970.
    package var writtenAt: Int64

    package init(sequence: EventSequence?, generation: UInt32, writtenAt: Int64) {
        self.sequence = sequence
        self.generation = generation
        self.writtenAt = writtenAt
    }

    /// Whether an event with `sequence` comes too late to change what this stamp stands on.
    ///
    /// Only two sequences of one generation can be compared; anything else is taken as it comes.
    package func isNewer(than sequence: EventSequence?, generation: UInt32) -> Bool {
        guard let own = self.sequence, let sequence, self.generation == generation else { return false }
        return sequence < own
    }
}
