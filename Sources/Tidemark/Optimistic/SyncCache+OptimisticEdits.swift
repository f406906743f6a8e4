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
    /// Shows an edit at once. The edit survives a restart and is never mixed into the server's state: commit it or roll
    /// it back when the server has answered.
    ///
    /// ```swift
    /// let edit = try await cache.optimistically { changes in
    ///     try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
    ///     try changes.delete(Photo.self, id: "2")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - library: The library of the edit; nil: the default library.
    ///   - dependsOn: Edits on which this one depends: it is rolled back together with any of them. They must not have
    ///     settled.
    ///   - pendingID: The id of the edit; nil: a new UUID. It must differ from that of every other pending edit.
    ///   - body: Makes the changes; at least one.
    /// - Returns: The edit, when it is on the disk.
    /// - Throws: ``CacheError``, among others `.unknownPending` for a dependency that has settled; any error of `body`.
    ///   In these cases nothing is shown.
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

    /// Shows an edit at once, sends it, and commits or rolls it back by the outcome.
    ///
    /// ```swift
    /// try await cache.optimistically { changes in
    ///     try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
    /// } perform: { edit in
    ///     OptimisticConfirmation(try await server.save(edit.changes, edit.pendingID))
    /// }
    /// ```
    ///
    /// | `perform` | the edit |
    /// |---|---|
    /// | returns | is committed with what it returned |
    /// | throws | is rolled back |
    /// | throws ``OutcomeUnknown`` or `CancellationError`, or anything in a task that was cancelled | stays pending: the server may have done it |
    /// | is not reached, because the task was cancelled before | is rolled back: nothing was sent |
    ///
    /// The event of an edit that stays pending settles it; ``pendingEdits(library:)`` returns it until then.
    ///
    /// - Parameters:
    ///   - library: The library of the edit; nil: the default library.
    ///   - dependsOn: Edits on which this one depends: it is rolled back together with any of them. They must not have
    ///     settled.
    ///   - pendingID: The id of the edit; nil: a new UUID.
    ///   - body: Makes the changes; at least one.
    ///   - perform: Sends the edit to the server.
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
            // A task that is cancelled while it waits for an answer cannot know whether the server performed the edit.
            let isUnknown = error is OutcomeUnknown || error is CancellationError || Task.isCancelled
            if !isUnknown { await takeBack(edit) }
            throw error
        }
        try await edit.commit(confirmation)
        return edit
    }

    /// Returns the edits that have not settled, oldest first: after a restart, the edits to send again.
    ///
    /// ```swift
    /// for edit in await cache.pendingEdits() where await edit.state == .pending {
    ///     print(edit.pendingID, edit.changes)
    /// }
    /// ```
    ///
    /// - Parameter library: The library; nil: all libraries.
    public nonisolated func pendingEdits(library: String? = nil) async -> [OptimisticEdit] {
        await pendingLayers(library: library.map { ByteString($0) }).map { OptimisticEdit($0, of: self) }
    }

    /// Rolls back an edit whose request failed. The caller gets the error of the request; an error of the disk as well
    /// is only logged.
    private nonisolated func takeBack(_ edit: OptimisticEdit) async {
        do throws(CacheError) {
            try await edit.rollback()
        } catch {
            configuration.logger.error(
                "the edit \(edit.pendingID) was not rolled back for good: \(error); roll it back again")
        }
    }
}
