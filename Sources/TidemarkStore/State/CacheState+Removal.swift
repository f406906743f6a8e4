import TidemarkModel

/// Forgetting, which says nothing about the server: no tombstones.
extension CacheState {
    /// Keys in memory that a removal concerns.
    ///
    /// - Parameter ids: nil: all of the type, or of every type.
    /// - Parameter matching: A literal part of `type:id`, compared without regard to the case of ASCII letters.
    package func residentKeys(
        library: ByteString, type: ByteString?, ids: [ByteString]?, matching: ByteString?
    ) -> [StoredKey] {
        guard let libraryIndex = libraryNames.existingIndex(of: library) else { return [] }
        var typeIndex: TypeIndex?
        if let type {
            guard let index = typeNames.existingIndex(of: configuration.typeAliases[type] ?? type) else { return [] }
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

    /// Whether a key's `type:id` holds a text, without regard to the case of ASCII letters.
    package func matches(_ key: StoredKey, _ text: ByteString?) -> Bool {
        guard let text else { return true }
        let name = EntityKey(type: typeNames.names[Int(key.type)], id: key.id.text).text.bytes.map(CacheState.lowered)
        let wanted = text.bytes.map(CacheState.lowered)
        guard !wanted.isEmpty, wanted.count <= name.count else { return wanted.isEmpty }
        return (0...name.count - wanted.count).contains { name[$0...].starts(with: wanted) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

    /// Types of which the journal may hold entities that memory does not.
    package func storedTypes(library: ByteString, type: ByteString?) -> [(library: LibraryIndex, type: TypeIndex)] {
        guard absentCount > 0, let libraryIndex = libraryNames.existingIndex(of: library) else { return [] }
        guard let type else { return typeNames.names.indices.map { (libraryIndex, TypeIndex($0)) } }
        return typeNames.existingIndex(of: configuration.typeAliases[type] ?? type).map { [(libraryIndex, $0)] } ?? []
    }

    /// Whether memory knows better than the journal what became of a key.
    package func isKnown(_ key: StoredKey) -> Bool {
        isUnstored(key.type) || tombstones[key] != nil || forgotten.contains(key)
            || withIdentity(key, { entities.find($0) }) != nil
            || isLayered(key)
    }

    /// Whether layers have changes for a key; its base is in memory, or nowhere.
    func isLayered(_ key: StoredKey) -> Bool {
        guard !layers.isEmpty, let handle = queries.keys.handle(of: key) else { return false }
        return queries.keys.isLayered(handle)
    }

    /// What a removal concerns, in memory and with the journal alone, with what it takes along.
    ///
    /// - Parameters:
    ///   - rows: Of the journal.
    ///   - cascades: Follow what the policy names.
    /// - Returns: Each once: those of memory first, in no order.
    package func removed(_ keys: [StoredKey], rows: [StoredRow], cascades: Bool) -> [StoredKey] {
        var seen: Set<StoredKey> = []
        let own = (keys + rows.lazy.map(\.key).filter { absentCount > 0 && !isKnown($0) })
            .filter { seen.insert($0).inserted }
        return cascades ? own + cascade(fromRemovalOf: own) : own
    }

    /// As everybody else names them.
    package func entityKeys(of keys: [StoredKey]) -> [EntityKey] { keys.map { entityKey(of: $0) } }

    /// Forgets entities in one unit.
    ///
    /// - Parameters:
    ///   - keys: Of entities in memory.
    ///   - rows: Of entities that only the journal has.
    /// - Returns: How many there were.
    package mutating func remove(_ keys: [StoredKey], rows: [StoredRow], at now: Int64) -> Int {
        beginUnit(isMulti: true)
        var count = 0
        for key in keys where forget(key, at: now) { count += 1 }
        for row in rows where !isKnown(row.key) && absentCount > 0 {
            forget(row, at: now)
            count += 1
        }
        isUnwritten = isUnwritten || count > 0
        endUnit(at: now)
        return count
    }

    /// Forgets an entity in memory.
    ///
    /// - Returns: false when there is none.
    mutating func forget(_ key: StoredKey, at now: Int64) -> Bool {
        guard let index = withIdentity(key, { entities.find($0) }) else { return false }
        forgotten.insert(key)
        noteForgotten(in: key.library)
        if let handle = drop(index) { followRemoval(handle, at: now) }
        return true
    }

    /// Forgets an entity that only the journal has.
    mutating func forget(_ row: StoredRow, at now: Int64) {
        entities.removeRow(row)
        absentCount -= 1
        libraries[Int(row.key.library)].entityCount -= 1
        libraries[Int(row.key.library)].isChanged = true
        forgotten.insert(row.key)
        noteForgotten(in: row.key.library)
        if let handle = queries.keys.handle(of: row.key) { followRemoval(handle, at: now) }
    }

    /// What a removal among the steps of a transaction concerns.
    ///
    /// - Parameters:
    ///   - own: Entities as earlier steps leave them.
    ///   - rows: Of entities that only the journal has.
    /// - Returns: Each once: what earlier steps wrote, memory, and rows, each in an order of its own. Entities that earlier steps
    ///   deleted are among them while memory has them.
    func removed(
        _ own: [StoredKey], _ rows: [StoredKey], in library: LibraryIndex, type: ByteString?, ids: [ByteString]?,
        matching: ByteString?
    ) -> [StoredKey] {
        let name = libraryNames.names[Int(library)]
        let resident = residentKeys(library: name, type: type, ids: ids, matching: matching)
            .sorted { ($0.type, $0.id.text) < ($1.type, $1.id.text) }
        let typeIndex = type.map { typeNames.existingIndex(of: configuration.typeAliases[$0] ?? $0) }
        let wanted = ids.map { Set($0.map { StoredID(EntityKey.canonicalID($0)) }) }
        let others = (own + rows).filter { key in
            if let typeIndex, typeIndex != key.type { return false }
            return wanted?.contains(key.id) ?? true && matches(key, matching)
        }
        var seen: Set<StoredKey> = []
        return (resident + others).filter { seen.insert($0).inserted }
    }

    /// Removes everything but cursors and lost ranges: entities, queries and tombstones.
    ///
    /// - Parameter name: nil: of every library.
    package mutating func clear(library name: ByteString?, at now: Int64) {
        let cleared: [LibraryIndex]
        if let name {
            cleared = libraryNames.existingIndex(of: name).map { [$0] } ?? []
        } else {
            cleared = libraries.indices.map { LibraryIndex($0) }
        }
        guard !cleared.isEmpty else { return }
        isUnwritten = true
        beginUnit(isMulti: true)
        let resident = entities.countByLibrary(libraryCount: libraries.count)
        for library in cleared {
            absentCount -= libraries[Int(library)].entityCount - resident[Int(library)]
            libraries[Int(library)].entityCount = 0
            libraries[Int(library)].unstoredCount = 0
            libraries[Int(library)].isRecovered = false
            forgotten.insert(library)
            noteForgotten(in: library)
            evicted.removeAll(of: library)
            libraries[Int(library)].isChanged = true
            if !clearedLibraries.contains(library) { clearedLibraries.append(library) }
        }
        let set = Set(cleared)
        var gone: [UInt32] = []
        entities.forEachIndex { if set.contains(entities.library(of: $0)) { gone.append($0) } }
        for index in gone {
            let handle = remember(index)
            entities.forget(index)
            if let handle { noteGone(handle) }
        }
        for query in queries.all where set.contains(queries[query].library) {
            queries.beginChange(of: query)
            queries.unstore(query)
            if queries[query].observerCount == 0 { queries.drop(query) }
        }
        tombstones.removeAll(of: set)
        for handle in layers.overlays.keys.sorted() where set.contains(queries.keys.key(of: handle).library) {
            rememberLook(of: handle)
            noteObserved(handle)
            settle(handle, at: now)
        }
        endUnit(at: now)
    }

    private mutating func noteGone(_ handle: UInt32) {
        noteObserved(handle)
    }
}

extension EntityStore {
    /// Removes an entity from memory; its row goes with its library's.
    mutating func forget(_ index: UInt32) { unlink(index) }
}
