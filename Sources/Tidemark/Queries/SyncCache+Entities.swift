import TidemarkModel
import TidemarkStore
import TidemarkJSON

extension SyncCache {
    /// Reads an entity, or the named fields of it.
    ///
    /// - Throws: ``CacheError`` `storageFailed`.
    package func read(_ key: EntityKey, fields: [ByteString]?) async throws(CacheError) -> EntityRead {
        try await read(EntityRequest(key, fields: fields))
    }

    /// Reads an entity, or the named fields of it, as JSON, unless one of them is too old.
    ///
    /// ```swift
    /// var request = EntityRequest(EntityKey(type: "photo", id: "1"))
    /// request.maxAges = ["photo": 3_600]
    /// let read = try await cache.read(request)
    /// if read.miss == .expired, let field = read.expired { print(field.field, "is", field.overdue, "ms overdue") }
    /// ```
    ///
    /// Optimistic edits are included. ``entity(_:id:maxAges:maxStale:library:)`` returns a Swift value.
    ///
    /// - Returns: The resource as JSON, or why there is none; ``EntityRead/expired`` names a field that is too old.
    /// - Throws: ``CacheError`` `.storageFailed`.
    public func read(_ request: EntityRequest) async throws(CacheError) -> EntityRead {
        try checkOpen()
        do throws(StorageError) {
            return try await withLoaded({ state.keyToLoad(request.key).map { [$0] } ?? [] }) {
                let read = readNow(request)
                countRead(miss: read.miss)
                return read
            }
        } catch {
            throw CacheError(error)
        }
    }

    /// Reads an entity if the journal is not needed for that. Not counted as a read.
    ///
    /// - Returns: nil when only the journal has the entity.
    package func peek(_ request: EntityRequest) -> EntityRead? {
        state.keyToLoad(request.key) == nil ? readNow(request) : nil
    }

    /// - Precondition: The entity is in memory, or in no tier.
    func readNow(_ request: EntityRequest) -> EntityRead {
        switch state.lookUp(request.key) {
        case .found(let found):
            let fields = request.fields.map { Set($0.map(\.bytes)) }
            guard found.isWhole || FieldSelection.isKnown(found.payload, fields: fields) else {
                return EntityRead(
                    entity: nil, isPending: found.isPending, sequence: found.stamp?.sequence, isStale: false,
                    miss: .evicted)
            }
            var read = EntityRead(
                entity: FieldSelection.resource(found.payload, fields: fields), isPending: found.isPending,
                sequence: found.stamp?.sequence, isStale: status(of: request.key.library).phase == .stale, miss: nil)
            let ages = request.operationAges
            if state.mayBeExpired(type: request.key.type, oldestWrite: found.oldestWrite, ages: ages, at: clock.now()) {
                read.expired = state.expired(request.key, fields: fields, ages: ages, at: clock.now())
            }
            guard let expired = read.expired else { return read }
            if let maxStale = request.maxStale, expired.overdue <= maxStale.wholeMilliseconds {
                read.isStale = true
            } else {
                read.entity = nil
                read.miss = .expired
            }
            return read
        case .deleted(let sequence, let isPending):
            return EntityRead(entity: nil, isPending: isPending, sequence: sequence, isStale: false, miss: .deleted)
        case .absent(let isPending):
            return EntityRead(
                entity: nil, isPending: isPending, sequence: nil, isStale: false,
                miss: state.wasEvicted(request.key) ? .evicted : .absent)
        case .elsewhere:
            return EntityRead(
                entity: nil, isPending: false, sequence: nil, isStale: false,
                miss: state.wasEvicted(request.key) ? .evicted : .absent)
        }
    }

    /// Returns a page of a type's entities, in key order.
    ///
    /// - Parameter after: The key after which the page begins, which is of the same type and need not be stored; nil to
    ///   begin at the first.
    /// - Throws: ``CacheError`` `storageFailed`.
    /// - Complexity: O(entities in memory + countMax).
    package func list(
        type: ByteString, library: ByteString, after: EntityKey?, countMax: Int
    ) async throws(CacheError) -> EntityPage {
        try checkOpen()
        turns.loads.begin()
        defer { endLoading() }
        while true {
            let commit = flushes.commitCount
            var page = LoadedEntities()
            if let place = state.storedTypes(library: library, type: type).first {
                do throws(StorageError) {
                    // One more entity than wanted shows whether others follow.
                    page = try await journal.page(
                        library: place.library, type: place.type, after: after.map { StoredID($0.id) },
                        countMax: countMax + 1)
                } catch {
                    throw CacheError(error)
                }
            }
            // A commit or an eviction during the read may have removed newer values from memory. The page may then be
            // older than these.
            guard commit == flushes.commitCount else { continue }
            return state.page(type: type, library: library, after: after, stored: page, countMax: countMax)
        }
    }

    // MARK: Changing

    /// Removes entities. This is not a delete: the server may still have them, and there is no tombstone.
    ///
    /// - Returns: The number of removed entities, including those that cascades removed.
    /// - Throws: ``CacheError`` `storageFailed`; then nothing changed.
    package func remove(_ removal: Removal) async throws(CacheError) -> Int {
        try checkChangeable()
        let count = try await found(removal) { found, rows in
            let now = clock.now()
            return recorded(.removal(state.entityKeys(of: found)), at: now) {
                defer { distribute() }
                return state.remove(found, rows: rows, at: now)
            }
        }
        scheduleFlush()
        return count
    }

    /// Returns the keys of the entities that ``remove(_:)`` would remove, in key order.
    ///
    /// - Throws: ``CacheError`` `storageFailed`.
    package func removable(_ removal: Removal) async throws(CacheError) -> [EntityKey] {
        try await found(removal) { found, _ in state.entityKeys(of: found).sorted() }
    }

    /// Finds the entities of a removal, and passes them to `body` in the same step.
    ///
    /// - Parameter body: Its arguments are the keys, including those that cascades reach, and the journal's rows.
    private func found<Result>(
        _ removal: Removal, _ body: ([StoredKey], [StoredRow]) -> Result
    ) async throws(CacheError) -> Result {
        try checkOpen()
        turns.loads.begin()
        defer { endLoading() }
        while true {
            let commit = flushes.commitCount
            let rows = try await storedRows(removal)
            let result: Result?
            do throws(StorageError) {
                result = try await withChange({
                    removal.cascades ? state.keysToLoad(forRemovalOf: resident(removal) + rows.map(\.key)) : []
                }) {
                    // After a commit the rows may belong to other entities.
                    guard commit == flushes.commitCount else { return nil }
                    return body(state.removed(resident(removal), rows: rows, cascades: removal.cascades), rows)
                }
            } catch {
                throw CacheError(error)
            }
            if let result { return result }
        }
    }

    private func resident(_ removal: Removal) -> [StoredKey] {
        state.residentKeys(
            library: removal.library, type: removal.resourceType, ids: removal.ids, matching: removal.matching)
    }

    /// Returns the journal's rows that a removal matches, whether or not the entities are in memory.
    func storedRows(_ removal: Removal) async throws(CacheError) -> [StoredRow] {
        var rows: [StoredRow] = []
        do throws(StorageError) {
            if let ids = removal.ids, let type = removal.resourceType {
                let keys = ids.compactMap {
                    state.keyToLoad(EntityKey(library: removal.library, type: type, id: $0))
                }
                let loaded = try await loadFromJournal(keys)
                rows = loaded.entities.map { StoredRow(key: $0.key, row: $0.row) } + loaded.damaged
            } else {
                for place in state.storedTypes(library: removal.library, type: removal.resourceType) {
                    var after: StoredID?
                    while true {
                        let page = try await journal.page(
                            library: place.library, type: place.type, after: after,
                            countMax: SyncCache.pageCountMax)
                        guard let last = page.last else { break }
                        after = last
                        rows += page.entities.map { StoredRow(key: $0.key, row: $0.row) } + page.damaged
                    }
                }
            }
        } catch {
            throw CacheError(error)
        }
        return rows.filter { state.matches($0.key, removal.matching) }
    }

    /// Removes entities, queries and tombstones, and the kept events of all libraries. Pending layers, cursors, lost
    /// ranges and the quarantine stay.
    ///
    /// - Parameter library: The library; nil for all libraries.
    /// - Throws: ``CacheError`` when the cache is closed.
    package func clear(library: ByteString?) async throws(CacheError) {
        await takeTurn()
        defer { turns.changes.release() }
        try checkChangeable()
        let now = clock.now()
        recorded(.clearing(library: library), at: now) {
            state.clear(library: library, at: now)
            distribute()
        }
        scheduleFlush()
    }

    // MARK: Looking in

    /// Explains an entity: where its value came from, its age and age limits, and which lists and observers show it.
    ///
    /// ```swift
    /// let explanation = try await cache.explain(EntityKey(type: "photo", id: "1"))
    /// for field in explanation.fields {
    ///     print(field.name, field.writer.rawValue, field.sequence?.rawValue ?? 0, "\(field.age) ms old")
    /// }
    /// for place in explanation.queries { print(place.query.method, place.index) }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The entity.
    ///   - maxAges: The age limits of a read, in seconds, by `<type>` or `<type>.<field>`.
    /// - Throws: ``CacheError`` `.storageFailed`.
    public func explain(
        _ key: EntityKey, maxAges: [ByteString: Int] = [:]
    ) async throws(CacheError) -> EntityExplanation {
        try checkOpen()
        do throws(StorageError) {
            return try await withLoaded({ state.keyToLoad(key).map { [$0] } ?? [] }) {
                let now = clock.now()
                let ages = OperationAges(maxAges)
                var explanation = EntityExplanation(state.origin(of: key, at: now))
                let limits = state.limits(of: key, ages: ages)
                for index in explanation.fields.indices {
                    let field = explanation.fields[index]
                    let limit = limits[field.name] ?? .unlimited
                    explanation.fields[index].age = max(now.subtractingClamped(field.writtenAt), 0)
                    explanation.fields[index].maxAge = limit.seconds
                    explanation.fields[index].rule = EntityExplanation.AgeRuleOrigin(limit.origin)
                }
                return explanation
            }
        } catch {
            throw CacheError(error)
        }
    }

    /// Returns what the cache contains and what it has done since it was opened.
    package func statistics() async -> CacheStatistics {
        let diskByteCount = await journal.byteCount()
        let use = await journal.diskUse()
        let now = clock.now()
        return CacheStatistics(
            entityCount: state.entityCount, queryCount: state.queryCount,
            observerCount: observers.count + wings.observerCount,
            pendingCount: state.layerCount, memoryByteCount: state.memoryByteCount,
            memoryByteCountMax: configuration.memoryByteCountMax, diskByteCount: diskByteCount,
            freeDiskByteCount: use.freeByteCount, mergeDebtByteCount: use.mergeDebtByteCount,
            readsPerSecond: tallies.reads.perSecond(at: now),
            writesPerSecond: tallies.writes.perSecond(at: now), storedByteCount: tallies.storedByteCount,
            logByteCount: use.logByteCount, hitCount: tallies.hitCount,
            missCounts: tallies.missCounts, evictionCount: evictedCount, notificationCount: observers.notificationCount,
            libraries: libraries(),
            storageError: storageError, counts: counts(), ignoredKinds: state.ignoredKinds)
    }
}

extension EntityExplanation {
    init(_ origin: EntityOrigin) {
        var fields = (origin.fields ?? []).map { Field($0.name, $0.stamp) }
        // Names in a path are joined by a zero byte, which must not be shown.
        fields += origin.nested.map { nested in
            Field(ByteString(nested.path.bytes.map { $0 == 0 ? UInt8(ascii: ".") : $0 }), nested.stamp)
        }
        let deletion = origin.tombstone.map { tombstone in
            Field(name: "", writer: .event, sequence: tombstone.sequence, writtenAt: tombstone.deletedAt)
        }
        self.init(
            miss: EntityExplanation.miss(of: origin),
            deletion: origin.fields == nil ? deletion : nil, fields: fields, layers: origin.layers,
            queries: origin.places.map { Place(query: $0.query, index: $0.index, isStale: $0.isStale) },
            observerCount: origin.observerCount)
    }
}

extension EntityExplanation {
    private static func miss(of origin: EntityOrigin) -> EntityRead.Miss? {
        if origin.isVisible ?? (origin.fields != nil) { return origin.isReduced ? .evicted : nil }
        if origin.tombstone != nil || origin.fields != nil { return .deleted }
        return origin.isEvicted ? .evicted : .absent
    }
}

extension EntityExplanation.Field {
    init(_ name: ByteString, _ stamp: EntityStamp) {
        let writer: EntityExplanation.Writer =
            switch stamp.writer {
            case .event: .event
            case .answer, .document: .answer
            case .transaction: .transaction
            case .confirmation: .confirmation
            }
        self.init(name: name, writer: writer, sequence: stamp.sequence, writtenAt: stamp.writtenAt)
    }
}
