import TidemarkModel

/// An edit that is shown before the server has confirmed it.
///
/// ```swift
/// struct Photo: Resource {
///     static let resourceType = "photo"
///     var id: String
///     var name: String
/// }
/// let edit = try await cache.optimistically { changes in
///     try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
/// }
/// try await edit.commit(confirmed: Photo(id: "1", name: "Open sea"), sequence: EventSequence(8))
/// ```
///
/// An edit settles once: by a commit, by a rollback, or by the mutation's event. Later commits and rollbacks do nothing
/// and throw nothing, so a commit that arrives together with the event does no harm. If a program chooses ids itself
/// and uses one again, the id names the new edit.
///
/// - Source: Protocol/optimistic.md.
public struct OptimisticEdit: Identifiable, Sendable {
    /// The id of the edit. The server should send it as `mutation_id` in the mutation's event.
    public let pendingID: String
    /// The library of the edit.
    public let library: String
    /// The changes in order, in the form that a request can send.
    public let changes: [TransactionOperation]
    let name: ByteString
    private let cache: SyncCache

    /// The same as ``pendingID``.
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

    /// The state of the edit; nil once it has settled.
    ///
    /// - Complexity: O(pending edits).
    public var state: PendingLayer.State? {
        get async { await cache.pendingLayers(library: nil).first { $0.pendingID == name }?.state }
    }

    /// Commits the edit with the server's confirmation. Returns when the commit is on the disk, and at once when the
    /// edit has settled.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` for resources that cannot be written, `.storageFailed`.
    public func commit(_ confirmation: OptimisticConfirmation) async throws(CacheError) {
        let commit = try OptimisticCommit(confirmation, of: name)
        try await unlessSettled { () async throws(CacheError) in try await cache.commit(commit) }
    }

    /// Commits the edit when the server has performed it, and the stream will bring the result. The edit is shown until
    /// the cache has reached `sequence`, or until the mutation's event arrives.
    ///
    /// - Parameters:
    ///   - sequence: The mutation's position in the log; nil when unknown.
    ///   - realIDs: The real ids that the server assigned, by temporary id.
    /// - Throws: ``CacheError`` `.storageFailed`.
    public func commit(sequence: EventSequence? = nil, realIDs: [String: String] = [:]) async throws(CacheError) {
        try await commit(OptimisticConfirmation(sequence: sequence, realIDs: realIDs))
    }

    /// Commits the edit with the resource that the server stored, which replaces the edit in one step.
    ///
    /// - Parameters:
    ///   - confirmed: The stored resource.
    ///   - sequence: The mutation's position in the log; without it the cache cannot find out whether it has newer
    ///     data.
    ///   - realIDs: The real ids that the server assigned, by temporary id.
    /// - Throws: ``CacheError`` `.invalidParams`, `.storageFailed`.
    public func commit(
        confirmed: some Resource, sequence: EventSequence? = nil, realIDs: [String: String] = [:]
    ) async throws(CacheError) {
        try await commit(OptimisticConfirmation(confirmed, sequence: sequence, realIDs: realIDs))
    }

    /// Commits the edit with the resources that the server stored, which replace the edit in one step.
    ///
    /// - Parameters:
    ///   - confirmed: The stored resources. If they are of several types, the edit must name the id of each.
    ///   - sequence: The mutation's position in the log; without it the cache cannot find out whether it has newer
    ///     data.
    ///   - realIDs: The real ids that the server assigned, by temporary id.
    /// - Throws: ``CacheError`` `.invalidParams`, `.storageFailed`.
    public func commit(
        confirmed: [any Resource], sequence: EventSequence? = nil, realIDs: [String: String] = [:]
    ) async throws(CacheError) {
        try await commit(OptimisticConfirmation(resources: confirmed, sequence: sequence, realIDs: realIDs))
    }

    /// Rolls back the edit and the edits that depend on it. Readers then see the server's current state under the
    /// remaining edits. Returns when the rollback is on the disk, and at once when the edit has settled.
    ///
    /// - Throws: ``CacheError`` `.storageFailed`.
    public func rollback() async throws(CacheError) {
        try await unlessSettled { () async throws(CacheError) in try await cache.rollBack(name) }
    }

    /// Sends the edit's request again, now, if it failed or waits for its next attempt. Returns when that is on the
    /// disk, and at once when the edit has settled.
    ///
    /// - Throws: ``CacheError`` `.invalidParams` for an edit without a request, `.storageFailed`.
    public func retry() async throws(CacheError) {
        try await unlessSettled { () async throws(CacheError) in try await cache.retry(name) }
    }

    /// Ignores that a layer is unknown: it existed when this value was made, so it has settled.
    private func unlessSettled(_ body: () async throws(CacheError) -> Void) async throws(CacheError) {
        do throws(CacheError) {
            try await body()
        } catch  where error.code == .unknownPending {
            return
        }
    }
}
