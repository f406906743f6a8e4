import TidemarkModel

/// An entity as a journal stores it: what a flush row of a new or changed entity contains.
///
/// ```swift
/// func stored(_ row: FlushRow, of flush: FlushBatch) -> StoredEntity {
///     StoredEntity(
///         key: flush.key(of: row), row: row.row, payload: flush.payload(of: row), fields: flush.fields(of: row),
///         sequence: row.sequence, generation: row.generation, writtenAt: row.writtenAt)
/// }
/// ```
public struct StoredEntity: Hashable, Sendable {
    /// The entity's key.
    public var key: StoredKey
    /// The number of the row that holds the entity, as in ``FlushRow/row``.
    public var row: Int64
    /// The resource as compact JSON.
    public var payload: [UInt8]
    /// The opaque record of when single fields were written, as ``FlushBatch/fields(of:)`` returned it.
    public var fields: [UInt8]
    /// The sequence of the event that last wrote the entity; nil when that write had none.
    public var sequence: EventSequence?
    /// The value of ``FlushRow/generation``, unchanged.
    public var generation: UInt32
    /// When the entity was last written, in milliseconds since 1970.
    public var writtenAt: Int64

    /// Creates an entity from what was stored in its row.
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

    /// The highest sequence among the writes of the entity and of its fields; nil if none has one.
    ///
    /// - Complexity: O(fields with a stamp of their own).
    package var highestSequence: EventSequence? {
        guard let stamps = FieldStamps(encoded: fields) else { return sequence }
        return ([sequence, stamps.rest.sequence] + stamps.named.values.map(\.sequence)).compactMap { $0 }.max()
    }
}
