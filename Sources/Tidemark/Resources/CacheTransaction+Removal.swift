import TidemarkModel

/// The removal of stored data: no delete and no tombstone; it says nothing about the server.
extension CacheTransaction {
    /// Removes entities by their ids; missing ones are ignored, and there is no cascade.
    ///
    /// - Throws: ``CacheError`` `.limitExceeded`, `.invalidParams` in an optimistic edit.
    public mutating func remove<R: Resource>(_ type: R.Type, ids: [R.ID]) throws(CacheError) {
        try remove(type: R.resourceType, ids: ids.map { $0.keyText })
    }

    /// Removes entities by their ids; missing ones are ignored, and there is no cascade.
    ///
    /// - Parameter type: The type's name on the wire.
    /// - Throws: The same as ``remove(_:ids:)``.
    public mutating func remove(type: String, ids: [String]) throws(CacheError) {
        try checkRemoval()
        let ids = ids.map { ByteString($0) }
        try add(.remove(type: ByteString(type), ids: ids, matching: nil), ids.map { key(type, $0) })
    }

    /// Removes every entity whose `type:id` contains a text, including entities that this transaction puts before it.
    ///
    /// - Parameters:
    ///   - text: A literal text without wildcards. ASCII letters match in either case, other characters only exactly.
    ///     An empty text matches every entity of the type.
    ///   - type: The type's name on the wire; nil: every type. An empty text needs a type: see ``SyncCache/clear(_:)``
    ///     for removing everything.
    /// - Throws: The same as ``remove(_:ids:)``.
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
            .invalidParams, "an optimistic edit cannot remove from the cache: delete, or call the cache's remove")
    }
}
