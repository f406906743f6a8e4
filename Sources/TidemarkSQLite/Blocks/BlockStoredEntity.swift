import TidemarkModel
import TidemarkStore

/// An entity as read from a block.
package struct BlockStoredEntity: Hashable {
    /// The key of the entity.
    package var key: StoredKey
    /// The sequence of its last write; nil when that had none.
    package var sequence: Int64?
    /// The generation of its library's log at its last write.
    package var generation: UInt32
    /// The time of its last write, in milliseconds since 1970.
    package var writtenAt: Int64
    /// True if the entity was evicted except for the fields that stay.
    package var isReduced: Bool
    /// True if the entity was removed.
    package var isRemoval: Bool
    /// The store's data about writes of single fields; mostly empty.
    package var fields: [UInt8]
    /// The entity as compact JSON; empty for a removal.
    package var payload: [UInt8]

    /// Creates an entity.
    package init(
        key: StoredKey, sequence: Int64?, generation: UInt32, writtenAt: Int64, isReduced: Bool = false,
        isRemoval: Bool = false, fields: [UInt8] = [], payload: [UInt8]
    ) {
        self.key = key
        self.sequence = sequence
        self.generation = generation
        self.writtenAt = writtenAt
        self.isReduced = isReduced
        self.isRemoval = isRemoval
        self.fields = fields
        self.payload = payload
    }

    /// Creates an entity from its entry, and inserts the id into the payload if the block left it out.
    ///
    /// - Parameter data: Fields and payload as stored; they passed their check.
    init(key: StoredKey, entry: BlockEntry, id: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer) {
        self.init(
            key: key, sequence: entry.sequence, generation: entry.generation, writtenAt: entry.writtenAt,
            isReduced: entry.flags.contains(.reduced), isRemoval: entry.isRemoval,
            fields: Array(data[..<entry.fieldsCount]), payload: [])
        let content = UnsafeRawBufferPointer(rebasing: data[entry.fieldsCount...])
        guard entry.flags.contains(.withoutID) else {
            payload = Array(content)
            return
        }
        var idText = IDText()
        payload.reserveCapacity(content.count + UUIDValue.textByteCount)
        payload.append(contentsOf: UnsafeRawBufferPointer(rebasing: content[..<entry.idOffset]))
        idText.with(id: id, isUUID: entry.isUUID) { payload.append(contentsOf: $0) }
        payload.append(contentsOf: UnsafeRawBufferPointer(rebasing: content[entry.idOffset...]))
    }
}
