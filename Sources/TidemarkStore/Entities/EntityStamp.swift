import TidemarkModel

/// The last write of an entity or one of its fields: when it happened, and its kind.
package struct EntityStamp: Hashable, Sendable {
    /// The kind of write.
    package enum Writer: UInt8, Sendable {
        case event = 0
        /// An answer to a query: the value includes everything up to its sequence.
        case answer
        case transaction
        /// A server's confirmation of a layer: the value includes everything up to its sequence, as with an answer.
        case confirmation
        /// An answer of GraphQL: the fields that it wrote include everything up to its sequence, and it says nothing of
        /// the others.
        case document
    }

    /// The sequence of the write; nil when it had none.
    package var sequence: EventSequence?
    /// The library's generation; sequences compare only within one. Below 2^29.
    package var generation: UInt32
    /// The time of the write, in milliseconds since 1970.
    package var writtenAt: Int64
    package var writer: Writer
    /// Whether the write named some fields and left the others unchanged or unknown: a merge, an answer, a
    /// confirmation.
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

    /// Tells whether an event with `sequence` comes too late to change the value with this stamp.
    ///
    /// Only two sequences of one generation can be compared; in any other case the event is applied. An event may write
    /// an entity twice, in one batch; a value from an answer or a confirmation already includes the event with its own
    /// sequence.
    package func isNewer(than sequence: EventSequence?, generation: UInt32) -> Bool {
        guard let own = self.sequence, let sequence, self.generation == generation else { return false }
        return switch writer {
        case .answer, .confirmation, .document: sequence <= own
        case .event, .transaction: sequence < own
        }
    }

    /// Returns the stamp with the sequence of another one where that is higher in the same generation.
    func raised(to other: EntityStamp) -> EntityStamp {
        guard other.generation == generation, let sequence = other.sequence else { return self }
        var raised = self
        raised.sequence = max(self.sequence ?? sequence, sequence)
        return raised
    }
}

/// The packed form in the 32 bits that slots and journals have for it: writer (2 bits), partial or not (1 bit),
/// generation (29 bits). An answer of GraphQL has the bits of an answer that is not partial; every other answer is.
extension EntityStamp {
    private static let writerShift: UInt32 = 30
    private static let partialBit: UInt32 = 1 << 29
    private static let generationMask: UInt32 = 1 << 29 - 1

    package init(sequence: EventSequence?, packedGeneration: UInt32, writtenAt: Int64) {
        let isPartial = packedGeneration & EntityStamp.partialBit != 0
        let writer = Writer(rawValue: UInt8(packedGeneration >> EntityStamp.writerShift)) ?? .event
        let isDocument = writer == .answer && !isPartial
        self.init(
            sequence: sequence, generation: packedGeneration & EntityStamp.generationMask, writtenAt: writtenAt,
            writer: isDocument ? .document : writer, isPartial: isPartial || isDocument)
    }

    package var packedGeneration: UInt32 {
        let isMarked = isPartial && writer != .document
        let packed: Writer = writer == .document ? .answer : writer
        return generation & EntityStamp.generationMask | (isMarked ? EntityStamp.partialBit : 0)
            | UInt32(packed.rawValue) << EntityStamp.writerShift
    }
}
