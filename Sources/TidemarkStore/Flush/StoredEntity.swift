import TidemarkModel

/// An entity that a journal loaded.
public struct StoredEntity: Hashable, Sendable {
    public var key: StoredKey
    public var row: Int64
    public var payload: [UInt8]
    /// The record of single fields' writes, as at ``FlushRow/fieldsOffset``.
    public var fields: [UInt8]
    public var sequence: EventSequence?
    public var generation: UInt32
    /// The time of the last write, in milliseconds since 1970.
    public var writtenAt: Int64

    public init(
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

    /// The highest sequence of the writes of the entity and its fields; nil when no write has one.
    ///
    /// - Complexity: O(fields that were written apart).
    package var highestSequence: EventSequence? {
        guard let stamps = FieldStamps(encoded: fields) else { return sequence }
        return ([sequence, stamps.rest.sequence] + stamps.named.values.map(\.sequence)).compactMap { $0 }.max()
    }
}
