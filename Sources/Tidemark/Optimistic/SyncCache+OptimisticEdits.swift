#if canImport(FoundationEssentials)
    import struct FoundationEssentials.UUID
#else
    import struct Foundation.UUID
#endif
import Logging
import TidemarkModel

/// Edits with Swift types that are shown before the server has confirmed them.
///
/// - Source: Protocol/optimistic.md.
extension SyncCache {
    /// Shows an edit at once, for a program that sends it itself.
    ///
    /// ```swift
    /// struct Photo: Resource {
    ///     static let resourceType = "photo"
    ///     var id: String
    ///     var name: String
    /// }
    /// let edit = try await cache.optimistically { changes in
    ///     try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
    ///     try changes.delete(Photo.self, id: "2")
    /// }
    /// try await edit.rollback()
    /// ```
    ///
    /// The edit survives a restart and is never mixed into the server's state. Commit it or roll it back when the
    /// server has answered.
    ///
    /// - Parameters:
    ///   - library: The library of the edit; nil for the default library.
    ///   - dependsOn: Pending edits that this one depends on. It is rolled back together with any of them.
    ///   - pendingID: The id of the edit, which no other pending edit may have; nil for a new UUID.
    ///   - body: Makes the changes, at least one.
    /// - Returns: The edit, once it is on the disk.
    /// - Throws: ``CacheError``, for example `.unknownPending` for a dependency that has settled; any error of `body`.
    ///   Then nothing is shown.
    public nonisolated func optimistically(
        library: String? = nil, dependsOn: [OptimisticEdit] = [], pendingID: String? = nil,
        _ body: (inout CacheTransaction) throws -> Void
    ) async throws -> OptimisticEdit {
        var changes = CacheTransaction()
        try body(&changes)
        guard !changes.operations.isEmpty else {
            throw CacheError(.invalidParams, "the edit changes nothing: put, patch or delete something in it")
        }
        let layer = OptimisticUpdate(
            pendingID: ByteString(pendingID ?? UUID().uuidString.lowercased()), library: named(library),
            operations: changes.operations, dependsOn: dependsOn.map(\.name))
        try await update(layer)
        return OptimisticEdit(layer, of: self)
    }

    /// Shows an edit at once, sends it, and commits it or rolls it back by the outcome.
    ///
    /// ```swift
    /// struct Photo: Resource {
    ///     static let resourceType = "photo"
    ///     var id: String
    ///     var name: String
    /// }
    /// try await cache.optimistically { changes in
    ///     try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
    /// } perform: { edit in
    ///     // Send edit.changes to the server with edit.pendingID as the idempotency key.
    ///     OptimisticConfirmation(Photo(id: "1", name: "Open sea"), sequence: EventSequence(8))
    /// }
    /// ```
    ///
    /// | `perform` | the edit |
    /// |---|---|
    /// | returns | is committed with the returned confirmation |
    /// | throws | is rolled back |
    /// | throws ``OutcomeUnknownError`` or `CancellationError`, or anything in a task that was cancelled | stays pending: the server may have performed it |
    /// | is not called, because the task was cancelled before | is rolled back: nothing was sent |
    ///
    /// The mutation's event settles an edit that stays pending; until then ``pendingEdits(library:)`` returns it.
    ///
    /// - Parameters:
    ///   - library: The library of the edit; nil for the default library.
    ///   - dependsOn: Pending edits that this one depends on. It is rolled back together with any of them.
    ///   - pendingID: The id of the edit, which no other pending edit may have; nil for a new UUID.
    ///   - body: Makes the changes, at least one.
    ///   - perform: Sends the edit to the server, and returns what the server confirmed.
    /// - Returns: The edit, which is committed.
    /// - Throws: Any error of `body` and `perform`; ``CacheError``; `CancellationError` when nothing was sent.
    @discardableResult
    public nonisolated func optimistically(
        library: String? = nil, dependsOn: [OptimisticEdit] = [], pendingID: String? = nil,
        _ body: (inout CacheTransaction) throws -> Void,
        perform: (OptimisticEdit) async throws -> OptimisticConfirmation
    ) async throws -> OptimisticEdit {
        let edit = try await optimistically(library: library, dependsOn: dependsOn, pendingID: pendingID, body)
        if Task.isCancelled {
            await takeBack(edit)
            throw CancellationError()
        }
        let confirmation: OptimisticConfirmation
        do {
            confirmation = try await perform(edit)
        } catch {
            // A task that is cancelled while it waits for a response cannot know whether the server performed the edit.
            let isUnknown = error is OutcomeUnknownError || error is CancellationError || Task.isCancelled
            if !isUnknown { await takeBack(edit) }
            throw error
        }
        try await edit.commit(confirmation)
        return edit
    }

    /// Returns the edits that have not settled, oldest first. After a restart these are the edits to send again.
    ///
    /// ```swift
    /// for edit in await cache.pendingEdits() where await edit.state == .pending {
    ///     print(edit.pendingID, edit.changes)
    /// }
    /// ```
    ///
    /// - Parameter library: The library; nil for all libraries.
    public nonisolated func pendingEdits(library: String? = nil) async -> [OptimisticEdit] {
        await pendingLayers(library: library.map { ByteString($0) }).map { OptimisticEdit($0, of: self) }
    }

    /// Rolls back an edit whose request failed. The caller throws the error of the request; an error of the disk as
    /// well is only logged.
    private nonisolated func takeBack(_ edit: OptimisticEdit) async {
        do throws(CacheError) {
            try await edit.rollback()
        } catch {
            configuration.logger.error(
                "the edit \(edit.pendingID) was not rolled back for good: \(error); roll it back again")
        }
    }
}
