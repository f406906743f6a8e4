import TidemarkModel

/// Forgetting what is stored: no delete, no tombstone, and nothing is said about the server.
extension CacheTransaction {
    /// Forgets entities by their ids; nothing happens to those that are not there, and nothing goes along.
    ///
    /// - Throws: ``CacheError`` `.limitExceeded`, `.invalidParams` in an optimistic edit.
    public mutating func remove<R: Resource>(_ type: R.Type, ids: [R.ID]) throws(CacheError) {
        try remove(type: R.resourceType, ids: ids.map { $0.keyText })
    }

    /// Forgets entities by their ids; nothing happens to those that are not there, and nothing goes along.
    ///
    /// - Parameter type: On the wire.
    /// - Throws: As the other one.
    public mutating func remove(type: String, ids: [String]) throws(CacheError) {
        try checkRemoval()
        let ids = ids.map { ByteString($0) }
        try add(.remove(type: ByteString(type), ids: ids, matching: nil), ids.map { key(type, $0) })
    }

    /// Forgets every entity whose `type:id` holds a text, those that this transaction puts before it included.
    ///
    /// - Parameters:
    ///   - text: Taken literally: there are no wildcards. Letters of ASCII match in either case, others as they are. An empty
    ///     one matches everything of the type.
    ///   - type: On the wire; nil: of every type, which an empty text does not do: see ``SyncCache/clear(_:)``.
    /// - Throws: As the other one.
    public mutating func remove(matching text: String, type: String? = nil) throws(CacheError) {
        try checkRemoval()
        guard !text.isEmpty || type != nil else {
            throw CacheError(
                .invalidParams,
                "an empty text matches everything: pass a part of type:id or a type, or clear the library")
        }
        try add(.remove(type: type.map { ByteString($0) }, ids: nil, matching: ByteString(text)), nil)
    }

    private func checkRemoval() throws(CacheError) {
        guard cache == nil else { return }
        throw CacheError(
            .invalidParams, "an optimistic edit forgets nothing: delete instead, or remove from the cache itself")
    }
}
