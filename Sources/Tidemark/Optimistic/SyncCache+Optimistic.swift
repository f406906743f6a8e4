import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// Mutations that are shown before a server has confirmed them.
///
/// Each call has two halves. The first takes effect in memory, in order with other calls and events. The second waits
/// for the disk and blocks no other call.
///
/// - Source: Protocol/optimistic.md.
extension SyncCache {
    /// Shows a mutation over the server's state. Observers are notified at once. Returns when the layer is on the disk.
    ///
    /// - Throws: ``CacheError``: `duplicatePending`, `unknownPending` for a dependency, `invalidParams`,
    ///   `limitExceeded`, `storageFailed`; then there is no layer.
    package func update(_ update: OptimisticUpdate) async throws(CacheError) {
        try await begin(update)
        try await finish(update.pendingID, isUpdate: true)
    }

    /// Applies a server's confirmation of a mutation. Returns when that is on the disk.
    ///
    /// - Throws: ``CacheError``: `unknownPending`, `invalidParams`, `storageFailed`.
    package func commit(_ commit: OptimisticCommit) async throws(CacheError) {
        try await begin(commit)
        try await finish(commit.pendingID, isUpdate: false)
    }

    /// Rolls back a layer and the layers that depend on it. Returns when that is on the disk.
    ///
    /// - Parameters:
    ///   - pendingID: The id of the layer.
    ///   - library: The library of the layer; nil to find the layer by its id alone.
    /// - Throws: ``CacheError``: `unknownPending`, `storageFailed`.
    package func rollBack(_ pendingID: ByteString, library: ByteString? = nil) async throws(CacheError) {
        try beginRollBack(pendingID, library: library)
        try await finish(pendingID, isUpdate: false)
    }

    /// Returns the layers that have not settled, oldest first.
    ///
    /// - Parameter library: The library; nil for all libraries.
    package func pendingLayers(library: ByteString? = nil) -> [PendingLayer] {
        state.layerStatuses(library: library).map { PendingLayer($0) }
    }

    // MARK: In memory

    /// Does the first half of ``update(_:)``: readers see the layer, which is not on the disk yet.
    ///
    /// - Throws: The errors of ``update(_:)``, except for `storageFailed` of a write.
    package func begin(_ update: OptimisticUpdate) async throws(CacheError) {
        let limits = configuration.limits
        try checkChangeable()
        guard !update.pendingID.bytes.isEmpty, update.pendingID.bytes.count <= limits.idByteCountMax else {
            throw CacheError(
                .invalidParams,
                "pending_id has \(update.pendingID.bytes.count) bytes: pass 1 to \(limits.idByteCountMax)")
        }
        guard update.operations.count <= limits.batchMemberCountMax else {
            throw CacheError(
                .limitExceeded,
                "\(update.operations.count) changes: pass at most \(limits.batchMemberCountMax) at once")
        }
        try update.send?.check(limits: limits)
        let steps = try TransactionOperation.steps(
            update.operations, library: update.library, limits: limits, name: "changes")
        let layer = LayerUpdate(
            pendingID: update.pendingID, library: update.library, steps: steps, dependsOn: update.dependsOn,
            request: update.send)
        let library = update.library
        try await change(
            { state.keysToLoad(for: state.renamed(steps, in: library), in: library) }, name: "changes"
        ) {
            () throws(LayerError) in
            let now = clock.now()
            try recorded(.update(update), of: update.library, at: now) { () throws(LayerError) in
                try state.lay(layer, at: now)
            }
        }
    }

    /// Does the first half of ``commit(_:)``: readers see the confirmation, which is not on the disk yet.
    ///
    /// - Throws: The errors of ``commit(_:)``, except for `storageFailed` of a write.
    package func begin(_ commit: OptimisticCommit) async throws(CacheError) {
        try checkChangeable()
        let confirmation = try confirmation(commit)
        try await change({ state.keysToLoad(for: confirmation) }, name: "confirmed") { () throws(LayerError) in
            let now = clock.now()
            try recorded(.commit(commit), at: now) { () throws(LayerError) in
                try state.confirm(confirmation, at: now)
            }
        }
    }

    /// Does the first half of ``rollBack(_:library:)``: readers no longer see the layer, which is still on the disk.
    ///
    /// - Throws: ``CacheError`` `unknownPending`.
    package func beginRollBack(_ pendingID: ByteString, library: ByteString? = nil) throws(CacheError) {
        try checkChangeable()
        do throws(LayerError) {
            try rollBackNow(pendingID, library: library)
        } catch {
            throw error.cacheError(name: "changes")
        }
        distribute()
    }

    func rollBackNow(_ pendingID: ByteString, library: ByteString?) throws(LayerError) {
        let now = clock.now()
        try recorded(.rollBack(pendingID, library: library), at: now) { () throws(LayerError) in
            try state.rollBack(pendingID, library: library, at: now)
        }
    }

    /// Loads the entities that a change of the layers needs, and makes the change in one step.
    private func change(
        _ keys: () -> [StoredKey], name: String, _ body: () throws(LayerError) -> Void
    ) async throws(CacheError) {
        let result: Result<Void, LayerError>
        do throws(StorageError) {
            result = try await withChange(keys) {
                do throws(LayerError) {
                    try body()
                    distribute()
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw CacheError(error)
        }
        if case .failure(let refusal) = result { throw refusal.cacheError(name: name) }
    }

    private func confirmation(_ commit: OptimisticCommit) throws(CacheError) -> LayerConfirmation {
        let limits = configuration.limits
        var puts: [PutResource]?
        if let confirmed = commit.confirmed {
            guard confirmed.count <= limits.batchMemberCountMax else {
                throw CacheError(
                    .limitExceeded,
                    "\(confirmed.count) resources: confirm at most \(limits.batchMemberCountMax) at once")
            }
            var reader = PutReader(library: commit.library ?? configuration.defaultLibrary, limits: limits)
            // Perhaps only the layer knows the type. Any name serves to check the resource.
            for resource in confirmed { try reader.add(type: commit.resourceType ?? "resource", resource) }
            puts = try reader.finish()
        }
        var realIDs: [LayerConfirmation.RealID] = []
        for (temporary, real) in commit.realIDs.sorted(by: { $0.key < $1.key }) {
            for id in [temporary, real] where id.bytes.isEmpty || id.bytes.count > limits.idByteCountMax {
                throw CacheError(
                    .invalidParams, "id_map has an id of \(id.bytes.count) bytes: pass 1 to \(limits.idByteCountMax)")
            }
            let isInteger = commit.integerIDs.contains(temporary)
            guard !isInteger || real.bytes.withUnsafeBytes({ CompactJSON.isInteger($0) }) else {
                throw CacheError(.invalidParams, "'\(real.excerpt(byteCount: 60))' is not an integer: pass its digits")
            }
            realIDs.append(LayerConfirmation.RealID(temporary: temporary, real: real, isInteger: isInteger))
        }
        return LayerConfirmation(
            pendingID: commit.pendingID, library: commit.library, confirmed: puts, type: commit.resourceType,
            sequence: commit.sequence, generation: commit.generation, realIDs: realIDs)
    }

    // MARK: On the disk

    /// Does the second half of a change: returns when it is on the disk.
    ///
    /// - Parameter isUpdate: Whether the change is a new layer, which is rolled back when the journal fails.
    /// - Throws: ``CacheError`` `storageFailed`.
    package func finish(_ pendingID: ByteString, isUpdate: Bool) async throws(CacheError) {
        do throws(StorageError) {
            try await writeAll()
        } catch {
            if isUpdate {
                do throws(LayerError) {
                    try rollBackNow(pendingID, library: nil)
                    distribute()
                } catch {
                    // The layer has settled meanwhile.
                }
            }
            let outcome = isUpdate ? "the layer was removed" : "it is tried again"
            var failure = CacheError(error)
            failure.message = "nothing is written: \(error.message); \(outcome)"
            throw failure
        }
    }
}

extension PendingLayer {
    init(_ status: LayerStatus) {
        self.init(
            pendingID: status.pendingID,
            state: status.isOrphaned ? .orphaned : status.isConfirmed ? .confirmed : .pending,
            library: status.library,
            operations: status.changes.map { TransactionOperation($0.key, $0.change) }, along: status.along,
            dependsOn: status.dependsOn)
    }
}

extension TransactionOperation {
    /// Makes the operation that requests this change of a layer.
    init(_ key: EntityKey, _ change: LayerChange) {
        self =
            switch change {
            case .put(_, let resource): .put(type: key.type, resource: resource)
            case .patch(_, let fields, let unset): .patch(type: key.type, id: key.id, fields: fields, unset: unset)
            case .merge(_, let fields): .merge(type: key.type, id: key.id, fields: fields)
            case .removeField(_, let field): .removeField(type: key.type, id: key.id, field: field)
            case .delete: .delete(type: key.type, id: key.id)
            }
    }
}

extension LayerError {
    /// - Parameter name: The parameter that the numbers in the refusal are indexes of.
    func cacheError(name: String) -> CacheError {
        switch self {
        case .duplicate(let id):
            CacheError(
                .duplicatePending,
                "'\(id)' is pending already: pass a new id for each mutation, nothing changed")
        case .unknown(let id):
            CacheError(
                .unknownPending, "'\(id)' is not pending: it has settled or never existed; see optimistic.list")
        case .noChanges:
            CacheError(.invalidParams, "changes are empty: pass at least one, nothing changed")
        case .tooManyLayers:
            CacheError(.limitExceeded, "too many layers are pending: commit or roll back some first")
        case .tooManyBytes:
            CacheError(.limitExceeded, "the pending layers hold too many bytes: commit or roll back some first")
        case .badResource(let step, let reason):
            CacheError(.invalidParams, "\(name)[\(step)] cannot be used (\(reason.code)): correct it, nothing changed")
        case .changesIdentity(let step):
            CacheError(
                .invalidParams,
                "\(name)[\(step)] would give the entity another id: put another entity, nothing changed")
        case .typeless(let step):
            CacheError(
                .invalidParams, "\(name)[\(step)] has no type: pass resource_type, nothing changed")
        case .tooLarge(let step, let type, let id, let byteCountMax):
            CacheError.tooLarge(
                step.map { "\(name)[\($0)]" } ?? "the real id", type: type, id: id, byteCountMax: byteCountMax)
        case .tooManyLibraries: FieldResponseError.tooManyLibraries.cacheError
        case .tooManyTypes: FieldResponseError.tooManyTypes.cacheError
        }
    }
}
