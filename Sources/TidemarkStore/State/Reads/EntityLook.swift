import TidemarkModel

/// The result of looking up an entity for a document.
package enum EntityLook: Sendable {
    /// The entity is in memory, or a layer shows it.
    case found(DatedEntity)
    /// The entity was deleted, by the server or by a layer.
    case deleted
    /// The cache has no entity and no tombstone under the key.
    case absent
    /// The entity was evicted from both tiers.
    case evicted
    /// The entity is not in memory; the journal may have it.
    case elsewhere(StoredKey)
}

/// One entity with the times at which its fields were written.
package struct DatedEntity: Sendable {
    /// The resource as readers see it.
    package var resource: [UInt8]
    /// When all fields without a time of their own were written, in milliseconds since 1970.
    package var writtenAt: Int64
    /// The sequence of that write; nil if it had none.
    package var sequence: EventSequence?
    /// When, and at which sequence, single fields were written, by path.
    package var named: [ByteString: (writtenAt: Int64, sequence: EventSequence?)]
    /// True if layers change the entity.
    package var isPending: Bool
    /// True if a field that it lacks does not exist. False if fields were evicted.
    package var isWhole: Bool

    /// Records the time of a layer's write.
    mutating func date(_ write: LayerStack.Write) {
        guard let fields = write.fields else {
            writtenAt = write.writtenAt
            sequence = nil
            named = [:]
            return
        }
        fields.date(&named, rest: (writtenAt, sequence), as: (write.writtenAt, nil))
    }
}
