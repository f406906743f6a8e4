import TidemarkJSON
import TidemarkModel

/// Changes of entities that have no Swift type.
extension CacheTransaction {
    /// Replaces the whole entity that the resource's `id` names, or its `uuid` where `id` is null or absent.
    ///
    /// ```swift
    /// try await cache.transaction { transaction in
    ///     try transaction.put(type: "photo", ["id": "1", "name": "Sea", "size": 18_446])
    ///     try transaction.patch(type: "photo", id: "2", ["name": "Shore"], unset: ["draft"])
    ///     try transaction.delete(type: "photo", id: "3")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type's name on the wire.
    ///   - resource: A JSON object with an id: a string or an integer.
    /// - Throws: ``CacheError`` `.invalidParams` when the resource has no id, `.limitExceeded`.
    public mutating func put(type: String, _ resource: JSONValue) throws(CacheError) {
        let own = resource["id"].flatMap { $0 == .null ? nil : $0 } ?? resource["uuid"]
        let id: ByteString
        switch own {
        case .string(let text): id = ByteString(text)
        case .number(let number): id = ByteString(JSONValue.number(number).text)
        default:
            throw CacheError(.invalidParams, "the resource of type \(type) has no id: give it a string or an integer")
        }
        try add(
            .put(type: ByteString(type), resource: resource.bytes),
            key(type, id))
    }

    /// Replaces the named top-level fields, null included, and removes the fields in `unset`; other fields stay.
    ///
    /// - Parameters:
    ///   - type: The type's name on the wire.
    ///   - id: The id of the entity.
    ///   - fields: The new values, as a JSON object.
    ///   - unset: The names of the fields to remove.
    /// - Throws: ``CacheError`` `.limitExceeded`. The transaction fails with `.invalidParams` when there is no such
    ///   entity.
    public mutating func patch(
        type: String, id: String, _ fields: JSONValue, unset: [String] = []
    ) throws(CacheError) {
        try add(
            .patch(
                type: ByteString(type), id: ByteString(id), fields: fields.bytes,
                unset: unset.map { ByteString($0) }),
            key(type, ByteString(id)))
    }

    /// Deletes an entity and leaves a tombstone; does nothing when there is no such entity.
    ///
    /// - Parameters:
    ///   - type: The type's name on the wire.
    ///   - id: The id of the entity.
    /// - Throws: ``CacheError`` `.limitExceeded`.
    public mutating func delete(type: String, id: String) throws(CacheError) {
        try add(
            .delete(type: ByteString(type), id: ByteString(id)),
            key(type, ByteString(id)))
    }
}
