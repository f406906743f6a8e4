import TidemarkModel

/// When, and by what, an entity or one of its fields was last written.
package struct EntityStamp: Hashable, Sendable {
    /// What wrote a value.
    package enum Writer: UInt8, Sendable {
        case event = 0
        /// An answer to a query: it stands for everything up to its sequence.
        case answer
        case transaction
        /// What a server confirmed of a layer: it stands for everything up to its sequence, as an answer does.
        case confirmation
    }

    /// nil when the write had none.
    package var sequence: EventSequence?
    /// The library's generation; sequences compare only within one. Below 2^29.
    package var generation: UInt32
    /// Milliseconds since 1970.
    package var writtenAt: Int64
    package var writer: Writer
    /// The write named some fields and left others as they were, or as they were not: a merge, an answer, a confirmation.
    package var isPartial: Bool

    package init(
        sequence: EventSequence?, generation: UInt32, writtenAt: Int64, writer: Writer = .event, isPartial: Bool = false
    ) {
        self.sequence = sequence
        self.generation = generation
        self.writtenAt = writtenAt
        self.writer = writer
        self.isPartial = isPartial
    }

    /// Whether an event with `sequence` comes too late to change what this stamp stands on.
    ///
    /// Only two sequences of one generation can be compared; anything else is taken as it comes. An event may write an
    /// entity twice, in one batch; what an answer or a confirmation wrote holds that event's effect already.
    package func isNewer(than sequence: EventSequence?, generation: UInt32) -> Bool {
        guard let own = self.sequence, let sequence, self.generation == generation else { return false }
        return switch writer {
        case .answer, .confirmation: sequence <= own
        case .event, .transaction: sequence < own
        }
    }
}

/// Writer (2 bits), partial or not (1 bit) and generation (29 bits) in the 32 bits that slots and journals have for them.
extension EntityStamp {
    private static let writerShift: UInt32 = 30
    private static let partialBit: UInt32 = 1 << 29
    private static let generationMask: UInt32 = 1 << 29 - 1

    package init(sequence: EventSequence?, packedGeneration: UInt32, writtenAt: Int64) {
        self.init(
            sequence: sequence, generation: packedGeneration & EntityStamp.generationMask, writtenAt: writtenAt,
            writer: Writer(rawValue: UInt8(packedGeneration >> EntityStamp.writerShift)) ?? .event,
            isPartial: packedGeneration & EntityStamp.partialBit != 0)
    }

    package var packedGeneration: UInt32 {
        generation & EntityStamp.generationMask | (isPartial ? EntityStamp.partialBit : 0)
            | UInt32(writer.rawValue) << EntityStamp.writerShift
    }
}
