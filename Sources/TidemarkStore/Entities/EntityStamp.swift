import TidemarkModel

/// When an entity or one of its fields was last written, and by what.
package struct EntityStamp: Hashable, Sendable {
    /// What made a write.
    package enum Writer: UInt8, Sendable {
        /// A change event.
        case event = 0
        /// A response to a query; the value includes everything up to the response's sequence.
        case answer
        /// A transaction.
        case transaction
        /// A server's confirmation of a layer. As with a response, the value includes everything up to its sequence.
        case confirmation
        /// A GraphQL response. The fields that it wrote include everything up to its sequence; it says nothing about
        /// the others.
        case document
    }

    /// The sequence of the write; nil if it had none.
    package var sequence: EventSequence?
    /// The generation of the library's log, below 2^29. Sequences of different generations cannot be compared.
    package var generation: UInt32
    /// When the write was made, in milliseconds since 1970.
    package var writtenAt: Int64
    /// What made the write.
    package var writer: Writer
    /// True if the write named some fields and left the others unchanged or unknown, as a merge, a response or a
    /// confirmation does.
    package var isPartial: Bool

    /// Creates the stamp of a write.
    package init(
        sequence: EventSequence?, generation: UInt32, writtenAt: Int64, writer: Writer = .event, isPartial: Bool = false
    ) {
        self.sequence = sequence
        self.generation = generation
        self.writtenAt = writtenAt
        self.writer = writer
        self.isPartial = isPartial
    }

    /// Returns true if an event is too old to change the value with this stamp.
    ///
    /// Only sequences of one generation can be compared; otherwise the event is applied. At an equal sequence, an event
    /// may write an entity again, since a batch can name it twice; a value from a response or a confirmation already
    /// includes the event.
    package func isNewer(than sequence: EventSequence?, generation: UInt32) -> Bool {
        guard let own = self.sequence, let sequence, self.generation == generation else { return false }
        return switch writer {
        case .answer, .confirmation, .document: sequence <= own
        case .event, .transaction: sequence < own
        }
    }

    /// Returns this stamp with the higher of both sequences, if the stamps have the same generation.
    func raised(to other: EntityStamp) -> EntityStamp {
        guard other.generation == generation, let sequence = other.sequence else { return self }
        var raised = self
        raised.sequence = max(self.sequence ?? sequence, sequence)
        return raised
    }
}

/// The packed form, for the 32 bits that slots and journals have: writer (2 bits), partial or not (1 bit), generation
/// (29 bits). A GraphQL response is packed as a response that is not partial, which no other response is.
extension EntityStamp {
    private static let writerShift: UInt32 = 30
    private static let partialBit: UInt32 = 1 << 29
    private static let generationMask: UInt32 = 1 << 29 - 1

    /// Creates a stamp from its packed form.
    package init(sequence: EventSequence?, packedGeneration: UInt32, writtenAt: Int64) {
        let isPartial = packedGeneration & EntityStamp.partialBit != 0
        let writer = Writer(rawValue: UInt8(packedGeneration >> EntityStamp.writerShift)) ?? .event
        let isDocument = writer == .answer && !isPartial
        self.init(
            sequence: sequence, generation: packedGeneration & EntityStamp.generationMask, writtenAt: writtenAt,
            writer: isDocument ? .document : writer, isPartial: isPartial || isDocument)
    }

    /// Generation, writer and partial flag in 32 bits, as slots and journals store them.
    package var packedGeneration: UInt32 {
        let isMarked = isPartial && writer != .document
        let packed: Writer = writer == .document ? .answer : writer
        return generation & EntityStamp.generationMask | (isMarked ? EntityStamp.partialBit : 0)
            | UInt32(packed.rawValue) << EntityStamp.writerShift
    }
}
