import TidemarkModel
import TidemarkStore

/// Mutations that are shown before a server has confirmed them.
///
/// Each has two parts: one that takes effect in memory, in its turn among other changes, and one that waits for the disk,
/// which may take long and holds up nobody.
///
/// - Source: Protocol/optimistic.md.
extension SyncCache {
    /// Lays a mutation over what the server said. Observers are told at once; returns when the layer is on the disk.
    ///
    /// - Throws: ``CacheError``: `duplicatePending`, `unknownPending` for a dependency, `invalidParams`,
    ///   `limitExceeded`, `storageFailed`; then there is no layer.
    package func update(_ update: OptimisticUpdate) async throws(CacheError) {
        try await begin(update)
        try await finish(update.pendingID, isUpdate: true)
    }

    /// Takes in what the server said of a mutation. Returns when that is on the disk.
    ///
    /// - Throws: ``CacheError``: `unknownPending`, `invalidParams`, `storageFailed`.
    package func commit(_ commit: OptimisticCommit) async throws(CacheError) {
        try await begin(commit)
        try await finish(commit.pendingID, isUpdate: false)
    }

    /// Takes a layer away, with those that depend on it. Returns when that is on the disk.
    ///
    /// - Parameter library: nil: whatever library the layer is of.
    /// - Throws: ``CacheError``: `unknownPending`, `storageFailed`.
    package func rollBack(_ pendingID: ByteString, library: ByteString? = nil) async throws(CacheError) {
        try await beginRollBack(pendingID, library: library)
        try await finish(pendingID, isUpdate: false)
    }

    /// Lays a mutation over what the server said, in memory.
    package func begin(_ update: OptimisticUpdate) async throws(CacheError) {
        throw CacheError(.invalidParams, "there are no layers yet")
    }

    /// Takes in what the server said of a mutation, in memory.
    package func begin(_ commit: OptimisticCommit) async throws(CacheError) {
        throw CacheError(.unknownPending, "there are no layers yet")
    }

    /// Takes a layer away, with those that depend on it, in memory.
    package func beginRollBack(_ pendingID: ByteString, library: ByteString?) async throws(CacheError) {
        throw CacheError(.unknownPending, "there are no layers yet")
    }

    /// Waits until what was begun is on the disk.
    ///
    /// - Throws: ``CacheError`` `storageFailed`; an update's layer is gone then.
    package func finish(_ pendingID: ByteString, isUpdate: Bool) async throws(CacheError) {}

    /// Layers that have not settled, oldest first.
    ///
    /// - Parameter library: nil: of every library.
    package func pendingLayers(library: ByteString? = nil) -> [PendingLayer] { [] }
}
