#if canImport(FoundationEssentials)
    import struct FoundationEssentials.UUID
#else
    import struct Foundation.UUID
#endif
import TidemarkModel

extension SyncCache {
    /// Shows an edit at once, and sends its request to the ``MutationUpstream`` until the server has answered, also
    /// after a restart.
    ///
    /// ```swift
    /// struct Photo: Resource {
    ///     static let resourceType = "photo"
    ///     var id: String
    ///     var name: String
    /// }
    /// let rename = MutationRequest(method: "photos.rename", input: ["id": "1", "name": "Open sea"])
    /// try await cache.optimistically(sending: rename) { changes in
    ///     try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - library: The library of the edit; nil for the default library.
    ///   - dependsOn: Pending edits that this one depends on. It is sent after them, and rolled back together with any
    ///     of them.
    ///   - pendingID: The id of the edit, by which the server recognizes a repeated mutation; nil for a new UUID.
    ///   - request: The request, which is stored with the edit.
    ///   - body: Makes the changes, at least one.
    /// - Returns: The edit, once it is on the disk.
    /// - Throws: ``CacheError``, for example `.unknownPending` for a dependency that has settled; any error of `body`.
    ///   Then nothing is shown or sent.
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
