#if canImport(FoundationEssentials)
    import struct FoundationEssentials.UUID
#else
    import struct Foundation.UUID
#endif
import Logging
import TidemarkModel

/// Edits that are shown before the server has confirmed them, with Swift types.
///
/// - Source: Protocol/optimistic.md.
extension SyncCache {
    /// Shows an edit at once. It survives a restart, and is never mixed into what the server says: commit it or roll it
    /// back when the server has answered.
    ///
    /// ```swift
    /// let edit = try await cache.optimistically { changes in
    ///     try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
    ///     try changes.delete(Photo.self, id: "2")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - library: nil: the default library.
    ///   - dependsOn: Edits with which this one is rolled back. They must not have settled.
    ///   - pendingID: nil: a new UUID. One that is given must be unlike that of every other pending edit.
    ///   - body: Says what to change; at least one thing.
    /// - Returns: When the edit is on the disk.
    /// - Throws: ``CacheError``, among others `.unknownPending` for a dependency that has settled; what `body` throws.
    ///   Nothing is shown then.
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

    /// Shows an edit at once, sends it, and does what the outcome asks for.
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
    /// An edit that stays pending is settled by its event, or found again with ``pendingEdits(library:)``.
    ///
    /// - Parameters:
    ///   - library: nil: the default library.
    ///   - dependsOn: Edits with which this one is rolled back. They must not have settled.
    ///   - pendingID: nil: a new UUID.
    ///   - body: Says what to change; at least one thing.
    ///   - perform: Sends it to the server.
    /// - Throws: What `body` and `perform` throw; ``CacheError``; `CancellationError` when nothing was sent.
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
            // Who is cancelled while he waits for an answer does not know what the server did.
            let isUnknown = error is OutcomeUnknown || error is CancellationError || Task.isCancelled
            if !isUnknown { await takeBack(edit) }
            throw error
        }
        try await edit.commit(confirmation)
        return edit
    }

    /// Edits that have not settled, oldest first: after a restart, those to send again.
    ///
    /// ```swift
    /// for edit in await cache.pendingEdits() where await edit.state == .pending {
    ///     print(edit.pendingID, edit.changes)
    /// }
    /// ```
    ///
    /// - Parameter library: nil: of every library.
    public nonisolated func pendingEdits(library: String? = nil) async -> [OptimisticEdit] {
        await pendingLayers(library: library.map { ByteString($0) }).map { OptimisticEdit($0, of: self) }
    }

    /// The caller hears why the request failed; a disk that fails as well is for the log.
    private nonisolated func takeBack(_ edit: OptimisticEdit) async {
        do throws(CacheError) {
            try await edit.rollback()
        } catch {
            configuration.logger.error(
                "the edit \(edit.pendingID) was not rolled back for good: \(error); roll it back again")
        }
    }
}
