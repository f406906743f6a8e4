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
/// An edit settles once: by a commit, by a rollback, or by the mutation's event. A later commit or rollback does
/// nothing and is no error, so a commit that arrives together with the event does no harm. An id that the program chose
/// and uses again names the new edit.
public struct OptimisticEdit: Identifiable, Sendable {
    /// The id that the server should put into the mutation's event as `mutation_id`.
    public let pendingID: String
    public let library: String
    /// The changes in order, in a form that a request can send.
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

    /// The state of the edit; nil when it has settled.
    ///
    /// - Complexity: O(pending edits).
    public var state: PendingLayer.State? {
        get async { await cache.pendingLayers(library: nil).first { $0.pendingID == name }?.state }
    }

    /// Commits the edit with the server's confirmation. Returns when the commit is on the disk; returns at once when
    /// the edit has settled.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` for resources that cannot be written, `.storageFailed`.
    public func commit(_ confirmation: OptimisticConfirmation) async throws(CacheError) {
        let commit = try OptimisticCommit(confirmation, of: name)
        try await unlessSettled { () async throws(CacheError) in try await cache.commit(commit) }
    }

    /// Commits the edit when the server has performed it and the stream will bring the result: the edit is shown until
    /// the cache has reached `sequence`, or until the mutation's event.
    ///
    /// - Parameter realIDs: The real ids, by temporary ids.
    /// - Throws: ``CacheError`` `.storageFailed`.
    public func commit(sequence: EventSequence? = nil, realIDs: [String: String] = [:]) async throws(CacheError) {
        try await commit(OptimisticConfirmation(sequence: sequence, realIDs: realIDs))
    }

    /// Commits the edit when the server has performed it and sent the stored resource, which replaces the edit in one
    /// step.
    ///
    /// - Parameters:
    ///   - sequence: The mutation's position in the log; without it the cache cannot tell whether it has newer data.
    ///   - realIDs: The real ids, by temporary ids.
    /// - Throws: ``CacheError`` `.invalidParams`, `.storageFailed`.
    public func commit(
        confirmed: some Resource, sequence: EventSequence? = nil, realIDs: [String: String] = [:]
    ) async throws(CacheError) {
        try await commit(OptimisticConfirmation(confirmed, sequence: sequence, realIDs: realIDs))
    }

    /// Commits the edit with several stored resources. When they are of several types, the edit has to name each one's
    /// id.
    ///
    /// - Throws: ``CacheError`` `.invalidParams`, `.storageFailed`.
    public func commit(
        confirmed: [any Resource], sequence: EventSequence? = nil, realIDs: [String: String] = [:]
    ) async throws(CacheError) {
        try await commit(OptimisticConfirmation(resources: confirmed, sequence: sequence, realIDs: realIDs))
    }

    /// Rolls back the edit and the edits that depend on it: readers then see the server's current state under the
    /// remaining edits. Returns when the rollback is on the disk; returns at once when the edit has settled.
    ///
    /// - Throws: ``CacheError`` `.storageFailed`.
    public func rollback() async throws(CacheError) {
        try await unlessSettled { () async throws(CacheError) in try await cache.rollBack(name) }
    }

    /// Sends the edit's request again, when it failed, or waits for its next attempt. Returns when that is on the disk;
    /// returns at once when the edit has settled.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` for an edit without a request, `.storageFailed`.
    public func retry() async throws(CacheError) {
        try await unlessSettled { () async throws(CacheError) in try await cache.retry(name) }
    }

    /// Ignores an unknown layer: the layer existed when this value was made, so it has settled.
    private func unlessSettled(_ body: () async throws(CacheError) -> Void) async throws(CacheError) {
        do throws(CacheError) {
            try await body()
        } catch  where error.code == .unknownPending {
            return
        }
    }
}
