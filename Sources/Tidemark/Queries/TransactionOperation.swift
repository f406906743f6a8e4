import TidemarkModel

/// One step of a transaction.
public enum TransactionOperation: Hashable, Sendable {
    /// Replaces the entity; the resource holds its id.
    case put(type: ByteString, resource: [UInt8])
    /// Replaces the top-level fields of `fields`, one JSON object, and removes the fields of `unset`.
    case patch(type: ByteString, id: ByteString, fields: [UInt8], unset: [ByteString])
    /// Replaces the entity; its id stands beside a resource that need not hold it.
    case keyedPut(type: ByteString, id: ByteString, resource: [UInt8])
    /// Merges `fields`, one JSON object, by path: embedded objects into those of the same type.
    case merge(type: ByteString, id: ByteString, fields: [UInt8])
    case delete(type: ByteString, id: ByteString)
    case removeField(type: ByteString, id: ByteString, field: ByteString)
    /// Removes the entities that match every part that is set, without a tombstone; `ids` need a type. Not allowed in
    /// an optimistic edit.
    case remove(type: ByteString?, ids: [ByteString]?, matching: ByteString?)
}
