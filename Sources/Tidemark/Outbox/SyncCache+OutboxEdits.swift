#if canImport(FoundationEssentials)
    import struct FoundationEssentials.UUID
#else
    import struct Foundation.UUID
#endif
import TidemarkModel

extension SyncCache {
    /// Shows an edit at once, and sends it to the ``MutationUpstream`` until the server has answered, also after a
    /// restart.
    ///
    /// ```swift
    /// let rename = MutationRequest(method: "photos.rename", input: ["id": "1", "name": "Open sea"])
    /// try await cache.optimistically(sending: rename) { changes in
    ///     try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - library: The library of the edit; nil: the default library.
    ///   - dependsOn: Edits on which this one depends: it is sent after them, and rolled back together with any of
    ///     them.
    ///   - pendingID: The id of the edit, by which the server knows a repeated mutation; nil: a new UUID.
    ///   - request: The request; it is stored with the edit.
    ///   - body: Makes the changes; at least one.
    /// - Returns: The edit, when it is on the disk.
    /// - Throws: ``CacheError``, among others `.unknownPending` for a dependency that has settled; any error of `body`.
    ///   In these cases nothing is shown or sent.
    /// - Source: Protocol/optimistic.md, the outbox.
    @discardableResult
    public nonisolated func optimistically(
        library: String? = nil, dependsOn: [OptimisticEdit] = [], pendingID: String? = nil,
        sending request: MutationRequest, _ body: (inout CacheTransaction) throws -> Void
    ) async throws -> OptimisticEdit {
        var changes = CacheTransaction()
        try body(&changes)
        guard !changes.operations.isEmpty else {
            throw CacheError(.invalidParams, "the edit changes nothing: put, patch or delete something in it")
        }
        let layer = OptimisticUpdate(
            pendingID: ByteString(pendingID ?? UUID().uuidString.lowercased()), library: named(library),
            operations: changes.operations, dependsOn: dependsOn.map(\.name), send: request)
        try await update(layer)
        return OptimisticEdit(layer, of: self)
    }
}
