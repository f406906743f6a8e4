import TidemarkModel
import TidemarkStore

/// Mutations that are shown before a server has confirmed them.
///
/// - Source: Protocol/optimistic.md.
extension SyncCache {
    /// Lays a mutation over what the server said. Observers are told at once; returns when the layer is on the disk.
    ///
    /// - Throws: ``CacheError``: `duplicatePending`, `unknownPending` for a dependency, `invalidParams`,
    ///   `limitExceeded`, `storageFailed`; then there is no layer.
    package func update(_ update: OptimisticUpdate) async throws(CacheError) {
        throw CacheError(.invalidParams, "there are no layers yet")
    }

    /// Takes in what the server said of a mutation. Returns when that is on the disk.
    ///
    /// - Throws: ``CacheError``: `unknownPending`, `invalidParams`, `storageFailed`.
    package func commit(_ commit: OptimisticCommit) async throws(CacheError) {
        throw CacheError(.unknownPending, "there are no layers yet")
    }

    /// Takes a layer away, with those that depend on it. Returns when that is on the disk.
    ///
    /// - Parameter library: nil: whatever library the layer is of.
    /// - Throws: ``CacheError``: `unknownPending`, `storageFailed`.
    package func rollBack(_ pendingID: ByteString, library: ByteString? = nil) async throws(CacheError) {
        throw CacheError(.unknownPending, "there are no layers yet")
    }

    /// Layers that have not settled, oldest first.
    ///
    /// - Parameter library: nil: of every library.
    package func pendingLayers(library: ByteString? = nil) -> [PendingLayer] { [] }
}
