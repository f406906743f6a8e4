import TidemarkModel

/// A change of one entity, as JSON; a transaction or an edit has a list of them.
///
/// - Source: Protocol/optimistic.md, what a layer shows.
public enum TransactionOperation: Hashable, Sendable {
    /// Replaces an entity with a resource, which has its id.
    case put(type: ByteString, resource: [UInt8])
    /// Replaces the top-level fields that `fields`, a JSON object, has, and removes the fields of `unset`.
    case patch(type: ByteString, id: ByteString, fields: [UInt8], unset: [ByteString])
    /// Replaces an entity with a resource that need not have its id.
    case keyedPut(type: ByteString, id: ByteString, resource: [UInt8])
    /// Merges `fields`, a JSON object, into an entity by path: an embedded object into one of the same type, anything
    /// else in place of the stored value.
    case merge(type: ByteString, id: ByteString, fields: [UInt8])
    /// Deletes an entity.
    case delete(type: ByteString, id: ByteString)
    /// Removes one top-level field.
    case removeField(type: ByteString, id: ByteString, field: ByteString)
    /// Removes the entities that match every part that is set, without a tombstone; `ids` need a type. Not allowed in
    /// an optimistic edit.
    case remove(type: ByteString?, ids: [ByteString]?, matching: ByteString?)
}
