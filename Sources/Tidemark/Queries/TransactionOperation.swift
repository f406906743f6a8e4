import TidemarkModel

/// One step of a transaction.
public enum TransactionOperation: Hashable, Sendable {
    /// Replaces the entity; its id stands in the resource.
    case put(type: ByteString, resource: [UInt8])
    /// Replaces the named top-level fields, given as one JSON object, and removes others.
    case patch(type: ByteString, id: ByteString, fields: [UInt8], unset: [ByteString])
    case delete(type: ByteString, id: ByteString)
    case removeField(type: ByteString, id: ByteString, field: ByteString)
    /// Forgets what every given part matches, without a tombstone; ids are of a type. Not in an optimistic edit.
    case remove(type: ByteString?, ids: [ByteString]?, matching: ByteString?)
}
