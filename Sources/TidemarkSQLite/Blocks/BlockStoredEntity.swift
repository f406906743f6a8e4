import TidemarkModel
import TidemarkStore

/// An entity as it was read from a block.
package struct BlockStoredEntity: Hashable {
    package var key: StoredKey
    package var sequence: Int64?
    package var generation: UInt32
    /// Milliseconds since 1970.
    package var writtenAt: Int64
    package var isReduced: Bool
    /// Whether the entity is gone.
    package var isRemoval: Bool
    package var fields: [UInt8]
    /// The resource as compact JSON; empty for a removal.
    package var payload: [UInt8]

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

    /// - Parameter data: Fields and payload as they are stored, after their check.
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
