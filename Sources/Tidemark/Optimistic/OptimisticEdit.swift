import TidemarkModel

/// An edit that is shown before the server has confirmed it.
///
/// ```swift
/// let edit = try await cache.optimistically { changes in
///     try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
/// }
/// try await edit.commit(confirmed: Photo(id: "1", name: "Open sea", size: 3), sequence: EventSequence(8))
/// ```
///
/// An edit settles once: by a commit, by a rollback, or by the mutation's event. Whoever comes later is not told off: an edit
/// that has settled is left as it is. So a commit that crosses with the event does no harm. An id that was given by hand and
/// is used again names the new edit.
public struct OptimisticEdit: Identifiable, Sendable {
    /// What the server should put into the mutation's event as `mutation_id`.
    public let pendingID: String
    public let library: String
    /// In order, as a request could send them.
    public let changes: [TransactionOperation]
    let name: ByteString
    private let cache: SyncCache

    public var id: String { pendingID }

    init(_ update: OptimisticUpdate, of cache: SyncCache) {
        name = update.pendingID
        pendingID = update.pendingID.description
        library = update.library.description
        changes = update.operations
        self.cache = cache
    }

    init(_ layer: PendingLayer, of cache: SyncCache) {
        self.init(
            OptimisticUpdate(pendingID: layer.pendingID, library: layer.library, operations: layer.operations),
            of: cache)
    }

    /// Where the edit is; nil when it has settled.
    ///
    /// - Complexity: O(pending edits).
    public var state: PendingLayer.State? {
        get async { await cache.pendingLayers(library: nil).first { $0.pendingID == name }?.state }
    }

    /// Takes in what the server said. Returns when it is on the disk, at once when the edit has settled.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` for resources that cannot be written, `.storageFailed`.
    public func commit(_ confirmation: OptimisticConfirmation) async throws(CacheError) {
        let commit = try OptimisticCommit(confirmation, of: name)
        try await unlessSettled { () async throws(CacheError) in try await cache.commit(commit) }
    }

    /// The server did it, and the stream will bring what came of it: the edit is shown until the cache has reached
    /// `sequence`, or until the mutation's event.
    ///
    /// - Parameter realIDs: By temporary ones.
    /// - Throws: ``CacheError`` `.storageFailed`.
    public func commit(sequence: EventSequence? = nil, realIDs: [String: String] = [:]) async throws(CacheError) {
        try await commit(OptimisticConfirmation(sequence: sequence, realIDs: realIDs))
    }

    /// The server did it and sent what it stored, which takes the edit's place in one step.
    ///
    /// - Parameters:
    ///   - sequence: The mutation's place in the log; without it what is newer cannot be told.
    ///   - realIDs: By temporary ones.
    /// - Throws: ``CacheError`` `.invalidParams`, `.storageFailed`.
    public func commit(
        confirmed: some Resource, sequence: EventSequence? = nil, realIDs: [String: String] = [:]
    ) async throws(CacheError) {
        try await commit(OptimisticConfirmation(confirmed, sequence: sequence, realIDs: realIDs))
    }

    /// The same for several resources. When they are of several types, the edit has to name each one's id.
    ///
    /// - Throws: ``CacheError`` `.invalidParams`, `.storageFailed`.
    public func commit(
        confirmed: [any Resource], sequence: EventSequence? = nil, realIDs: [String: String] = [:]
    ) async throws(CacheError) {
        try await commit(OptimisticConfirmation(resources: confirmed, sequence: sequence, realIDs: realIDs))
    }

    /// Takes the edit back, with those that depend on it: what is shown is what the server says now, under the edits that
    /// are left. Returns when it is on the disk, at once when the edit has settled.
    ///
    /// - Throws: ``CacheError`` `.storageFailed`.
    public func rollback() async throws(CacheError) {
        try await unlessSettled { () async throws(CacheError) in try await cache.rollBack(name) }
    }

    /// The layer was there when this value was made, so an unknown one has settled.
    private func unlessSettled(_ body: () async throws(CacheError) -> Void) async throws(CacheError) {
        do throws(CacheError) {
            try await body()
        } catch  where error.code == .unknownPending {
            return
        }
    }
}
