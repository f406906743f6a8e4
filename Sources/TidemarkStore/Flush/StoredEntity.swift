import TidemarkModel

/// An entity as a journal gives it back.
package struct StoredEntity: Hashable, Sendable {
    package var key: StoredKey
    package var row: Int64
    package var payload: [UInt8]
    /// As ``FlushRow/fieldsOffset`` says.
    package var fields: [UInt8]
    package var sequence: EventSequence?
    package var generation: UInt32
    /// Milliseconds since 1970.
    package var writtenAt: Int64

    package init(
        key: StoredKey, row: Int64, payload: [UInt8], fields: [UInt8] = [], sequence: EventSequence?,
        generation: UInt32, writtenAt: Int64
    ) {
        self.key = key
        self.row = row
        self.payload = payload
        self.fields = fields
        self.sequence = sequence
        self.generation = generation
        self.writtenAt = writtenAt
    }

    /// The highest number that it, or one of its fields, was written under; nil when none has one.
    ///
    /// - Complexity: O(fields that were written apart).
    package var highestSequence: EventSequence? {
        guard let stamps = FieldStamps(encoded: fields) else { return sequence }
        return ([sequence, stamps.rest.sequence] + stamps.named.values.map(\.sequence)).compactMap { $0 }.max()
    }
}
