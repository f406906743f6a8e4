import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Applies all operations or none. Observers are notified once.
    ///
    /// - Parameters:
    ///   - operations: The operations, in order.
    ///   - library: The library of the entities.
    ///   - expecting: Conditions that must still hold. Without operations they are only checked.
    ///   - roots: The GraphQL root fields that the operations make fresh.
    /// - Throws: ``CacheError``: `conflict`, `invalidParams`, `limitExceeded`, `storageFailed`; then nothing changed.
    package func transact(
        _ operations: [TransactionOperation], library: ByteString, expecting: TransactionExpectations = .init(),
        roots: FieldResponse? = nil
    ) async throws(CacheError) {
        let steps = try steps(operations, library: library)
        if !steps.isEmpty { await waitForRoom() }
        try await apply(steps, operations, library: library, expecting: expecting, roots: roots)
        guard !steps.isEmpty else { return }
        scheduleFlush()
        await waitForWriting()
    }

    private func apply(
        _ steps: [TransactionStep], _ operations: [TransactionOperation], library: ByteString,
        expecting: TransactionExpectations, roots: FieldResponse?
    ) async throws(CacheError) {
        turns.loads.begin()
        var refusal: FieldResponseError?
        defer { endLoading() }
        var isDone = false
        while !isDone {
            let commit = flushes.commitCount
            let rows = try await rows(matching: operations, library: library)
            isDone = try await withTransaction(
                {
                    state.keysToLoad(for: steps, in: library)
                        + expecting.resources.keys.compactMap { state.keyToLoad($0) }
                }
            ) { () throws(TransactionError) in
                // After a commit the rows may belong to other entities.
                guard rows == nil || commit == flushes.commitCount else { return false }
                let now = clock.now()
                try recorded(.transaction(operations, library: library, expecting: expecting), of: library, at: now) {
                    () throws(TransactionError) in
                    try state.transact(steps, in: library, expecting: expecting, rows: rows ?? [], at: now)
                    if roots == nil { distribute() }
                }
                refusal = roots.flatMap { freshen($0, at: now) }
                return true
            }
        }
        if let refusal { throw refusal.cacheError }
    }

    /// Marks root fields as fresh, and notifies observers of the whole step.
    private func freshen(_ roots: FieldResponse, at now: Int64) -> FieldResponseError? {
        defer { distribute() }
        do throws(FieldResponseError) {
            try recorded(.document(roots), of: roots.library, at: now) { () throws(FieldResponseError) in
                try state.store(roots, at: now)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Returns an entity without layers; nil when there is none.
    ///
    /// - Throws: ``CacheError`` `storageFailed`.
    package func base(of key: EntityKey) async throws(CacheError) -> [UInt8]? {
        try await withTransaction({ state.keyToLoad(key).map { [$0] } ?? [] }) { () throws(TransactionError) in
            state.base(of: key)
        }
    }

    /// Returns an entity as it is stored, and as operations would leave it. Nothing is changed.
    ///
    /// - Throws: The same ``CacheError`` as ``transact(_:library:expecting:)``.
    func preview(
        _ operations: [TransactionOperation], of key: EntityKey
    ) async throws(CacheError) -> (base: [UInt8]?, seen: [UInt8]?) {
        let steps = try steps(operations, library: key.library)
        return try await withTransaction(
            { state.keysToLoad(for: steps, in: key.library) + (state.keyToLoad(key).map { [$0] } ?? []) }
        ) { () throws(TransactionError) in
            (state.base(of: key), try state.preview(steps, of: key))
        }
    }

    /// Returns the journal's rows that removals among the operations match; nil when no removal has to search for rows.
    private func rows(
        matching operations: [TransactionOperation], library: ByteString
    ) async throws(CacheError) -> [StoredRow]? {
        var rows: [StoredRow]?
        for case .remove(let type, nil, let matching) in operations {
            var removal = Removal(library: library)
            removal.resourceType = type
            removal.matching = matching
            rows = (rows ?? []) + (try await storedRows(removal))
        }
        return rows
    }

    private func steps(
        _ operations: [TransactionOperation], library: ByteString
    ) throws(CacheError) -> [TransactionStep] {
        guard operations.count <= configuration.limits.batchMemberCountMax else {
            throw CacheError(
                .limitExceeded,
                "\(operations.count) operations: pass at most \(configuration.limits.batchMemberCountMax) at once")
        }
        return try TransactionOperation.steps(operations, library: library, limits: configuration.limits)
    }

    /// Loads the entities that a step needs, and runs the step.
    private func withTransaction<Value>(
        _ keys: () -> [StoredKey], _ body: () throws(TransactionError) -> Value
    ) async throws(CacheError) -> Value {
        try checkChangeable()
        let result: Result<Value, TransactionError>
        do throws(StorageError) {
            result = try await withChange(keys) {
                do throws(TransactionError) {
                    return .success(try body())
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw CacheError(error)
        }
        switch result {
        case .success(let value): return value
        case .failure(let refusal): throw refusal.cacheError
        }
    }
}
