import TidemarkModel

/// Removal of stored data. This is not a delete: it leaves no tombstone, and the server may still have the entities.
extension CacheTransaction {
    /// Removes entities by id. Missing ones are ignored, and nothing cascades.
    ///
    /// ```swift
    /// struct Photo: Resource {
    ///     static let resourceType = "photo"
    ///     var id: String
    /// }
    /// try await cache.transaction { transaction in
    ///     try transaction.remove(Photo.self, ids: ["1", "2"])
    ///     try transaction.remove(matching: "thumbnail", type: "file")
    /// }
    /// ```
    ///
    /// - Throws: ``CacheError`` `.limitExceeded`, `.invalidParams` in an optimistic edit.
    public mutating func remove<R: Resource>(_ type: R.Type, ids: [R.ID]) throws(CacheError) {
        try remove(type: R.resourceType, ids: ids.map { $0.keyText })
    }

    /// Removes entities by id. Missing ones are ignored, and nothing cascades.
    ///
    /// - Parameters:
    ///   - type: The type's name on the wire.
    ///   - ids: The ids of the entities.
    /// - Throws: The same as ``remove(_:ids:)``.
    public mutating func remove(type: String, ids: [String]) throws(CacheError) {
        try checkRemoval()
        let ids = ids.map { ByteString($0) }
        try add(.remove(type: ByteString(type), ids: ids, matching: nil), ids.map { key(type, $0) })
    }

    /// Removes every entity whose `type:id` contains a text, including entities that this transaction has put before.
    ///
    /// - Parameters:
    ///   - text: A literal text without wildcards. ASCII letters match in either case, other characters only exactly.
    ///     An empty text matches every entity of the type.
    ///   - type: The type's name on the wire; nil for every type. An empty text needs a type; to remove everything, see
    ///     ``SyncCache/clear(_:)``.
    /// - Throws: The same as ``remove(_:ids:)``, and `.invalidParams` for an empty text without a type.
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
