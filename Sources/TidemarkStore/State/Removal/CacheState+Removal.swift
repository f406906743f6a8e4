import TidemarkModel

/// Removal by a caller. It implies nothing about the server and leaves no tombstones.
extension CacheState {
    /// Returns the keys in memory that a removal selects.
    ///
    /// - Parameters:
    ///   - library: The library's name.
    ///   - type: The resource type; nil for every type.
    ///   - ids: The ids to select, which need a type; nil for all ids.
    ///   - matching: A literal part of `type:id`, in which ASCII letters match in either case; nil for every key.
    package func residentKeys(
        library: ByteString, type: ByteString?, ids: [ByteString]?, matching: ByteString?
    ) -> [StoredKey] {
        guard let libraryIndex = libraries.index(of: library) else { return [] }
        var typeIndex: TypeIndex?
        if let type {
            guard let index = types.index(of: type) else { return [] }
            typeIndex = index
        }
        if let ids, let typeIndex {
            return ids.map {
                StoredKey(library: libraryIndex, type: typeIndex, id: StoredID(EntityKey.canonicalID($0)))
            }
            .filter { key in
                withIdentity(key, { entities.find($0) }) != nil && matches(key, matching)
            }
        }
        var keys: [StoredKey] = []
        entities.forEachIndex { index in
            guard entities.library(of: index) == libraryIndex,
                typeIndex ?? entities.type(of: index) == entities.type(of: index)
            else { return }
            let key = entities.key(of: index)
            if matches(key, matching) { keys.append(key) }
        }
        return keys
    }

    /// Returns true if a key's `type:id` contains a text, in which ASCII letters match in either case.
    package func matches(_ key: StoredKey, _ text: ByteString?) -> Bool {
        guard let text else { return true }
        let name = EntityKey(type: types.name(of: key.type), id: key.id.text).text.bytes.map(CacheState.lowered)
        let wanted = text.bytes.map(CacheState.lowered)
        guard !wanted.isEmpty, wanted.count <= name.count else { return wanted.isEmpty }
        return (0...name.count - wanted.count).contains { name[$0...].starts(with: wanted) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

    /// Returns the types of which the journal may have entities that memory does not.
    package func storedTypes(library: ByteString, type: ByteString?) -> [(library: LibraryIndex, type: TypeIndex)] {
        guard residency.hasAbsent, let libraryIndex = libraries.index(of: library) else { return [] }
        guard let type else { return types.indexes.map { (libraryIndex, $0) } }
        return types.index(of: type).map { [(libraryIndex, $0)] } ?? []
    }

    /// Returns true if memory knows the state of a key better than the journal.
    package func isKnown(_ key: StoredKey) -> Bool {
        isUnstored(key.type) || tombstones[key] != nil || residency.isForgotten(key)
            || withIdentity(key, { entities.find($0) }) != nil
            || isLayered(key)
    }

    /// Returns true if layers change a key. Its base is then in memory, or in neither tier.
    func isLayered(_ key: StoredKey) -> Bool {
        guard !layers.isEmpty, let handle = queries.keys.handle(of: key) else { return false }
        return queries.keys.isLayered(handle)
    }

    /// Returns the keys that a removal selects, in memory and in the journal alone, and those that it cascades to.
    ///
    /// - Parameters:
    ///   - keys: The selected keys in memory.
    ///   - rows: The rows of the journal that the removal selects.
    ///   - cascades: True to follow the policy's cascading fields.
    /// - Returns: Each key once: those in memory first, in no order.
    package func removed(_ keys: [StoredKey], rows: [StoredRow], cascades: Bool) -> [StoredKey] {
        var seen: Set<StoredKey> = []
        let own = (keys + rows.lazy.map(\.key).filter { residency.hasAbsent && !isKnown($0) })
            .filter { seen.insert($0).inserted }
        return cascades ? own + cascade(fromRemovalOf: own) : own
    }

    /// Returns keys with the names of their libraries and types.
    package func entityKeys(of keys: [StoredKey]) -> [EntityKey] { keys.map { entityKey(of: $0) } }

    /// Removes entities, as one unit.
    ///
    /// - Parameters:
    ///   - keys: The keys of entities in memory.
    ///   - rows: The rows of entities that only the journal has.
    /// - Returns: How many entities were removed.
    package mutating func remove(_ keys: [StoredKey], rows: [StoredRow], at now: Int64) -> Int {
        beginUnit(isMulti: true)
        var count = 0
        for key in keys where forget(key, at: now) { count += 1 }
        for row in rows where !isKnown(row.key) && residency.hasAbsent {
            forget(row, at: now)
            count += 1
        }
        isUnwritten = isUnwritten || count > 0
        endUnit(at: now)
        return count
    }

    /// Removes an entity in memory.
    ///
    /// - Returns: False if there is no such entity.
    mutating func forget(_ key: StoredKey, at now: Int64) -> Bool {
        guard let index = withIdentity(key, { entities.find($0) }) else { return false }
        residency.forget(key)
        noteForgotten(in: key.library)
        if let handle = drop(index) { followRemoval(handle, at: now) }
        return true
    }

    /// Removes an entity that only the journal has.
    mutating func forget(_ row: StoredRow, at now: Int64) {
        noteLost(row.key)
        entities.removeRow(row)
        libraries[row.key.library].entityCount -= 1
        libraries[row.key.library].isChanged = true
        residency.forgetAbsent(row.key)
        noteForgotten(in: row.key.library)
        if let handle = queries.keys.handle(of: row.key) { followRemoval(handle, at: now) }
    }

    /// Returns the keys that a removal among the steps of a transaction selects.
    ///
    /// - Parameters:
    ///   - own: The entities that exist after earlier steps.
    ///   - rows: The keys of entities that only the journal has.
    /// - Returns: Each key once: entities in memory first, then those that earlier steps wrote, then rows, each in its
    ///   own order. Entities that earlier steps deleted are included while memory has them.
    func removed(
        _ own: [StoredKey], _ rows: [StoredKey], in library: LibraryIndex, type: ByteString?, ids: [ByteString]?,
        matching: ByteString?
    ) -> [StoredKey] {
        let name = libraries.name(of: library)
        let resident = residentKeys(library: name, type: type, ids: ids, matching: matching)
            .sorted { ($0.type, $0.id.text) < ($1.type, $1.id.text) }
        let typeIndex = type.map { types.index(of: $0) }
        let wanted = ids.map { Set($0.map { StoredID(EntityKey.canonicalID($0)) }) }
        let others = (own + rows).filter { key in
            if let typeIndex, typeIndex != key.type { return false }
            return wanted?.contains(key.id) ?? true && matches(key, matching)
        }
        var seen: Set<StoredKey> = []
        return (resident + others).filter { seen.insert($0).inserted }
    }

    /// Clears libraries: removes entities, queries and tombstones, but not cursors and lost ranges.
    ///
    /// - Parameter name: The library's name; nil for every library.
    package mutating func clear(library name: ByteString?, at now: Int64) {
        // The first response of a library that is still unknown may be on its way.
        meanwhile.noteClear(of: name)
        // After a clear, as at a logout, nothing of the cache may remain, so kept events of other libraries are dropped
        // too.
        keptEvents.removeAll()
        let cleared: [LibraryIndex]
        if let name {
            cleared = libraries.index(of: name).map { [$0] } ?? []
        } else {
            cleared = Array(libraries.indexes)
        }
        guard !cleared.isEmpty else { return }
        isUnwritten = true
        beginUnit(isMulti: true)
        let resident = entities.countByLibrary(libraryCount: libraries.count)
        for library in cleared {
            if libraries[library].entityCount > resident[Int(library)] { noteLost(allOf: library) }
            residency.clear(library, absentCount: libraries[library].entityCount - resident[Int(library)])
            libraries[library].entityCount = 0
            libraries[library].unstoredCount = 0
            libraries[library].isRecovered = false
            noteForgotten(in: library)
            libraries[library].isChanged = true
        }
        let set = Set(cleared)
        var gone: [SlotIndex] = []
        entities.forEachIndex { if set.contains(entities.library(of: $0)) { gone.append($0) } }
        for index in gone {
            noteBefore(at: index)
            let handle = prepareWrite(index)
            entities.forget(index)
            if let handle { noteGone(handle) }
        }
        for query in queries.all where set.contains(queries[query].library) {
            queries.beginChange(of: query)
            queries.unstore(query)
            if queries[query].observerCount == 0 { queries.drop(query) }
        }
        for key in tombstones.keys(of: set) {
            noteBefore(key)
            if let handle = queries.keys.handle(of: key) { noteObserved(handle) }
        }
        tombstones.removeAll(of: set)
        for handle in layers.overlays.keys.sorted() where set.contains(queries.keys.key(of: handle).library) {
            keepPayloadBefore(of: handle)
            noteObserved(handle)
            refold(handle, at: now)
        }
        endUnit(at: now)
    }

    private mutating func noteGone(_ handle: ListHandle) {
        noteObserved(handle)
    }
}

extension EntityStore {
    /// Removes an entity from memory. Its row is removed together with its library.
    mutating func forget(_ index: SlotIndex) { unlink(index) }
}
