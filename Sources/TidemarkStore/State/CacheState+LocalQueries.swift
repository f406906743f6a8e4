import TidemarkModel

/// Queries that are evaluated over the store.
extension CacheState {
    /// Evaluates a local query over what is in memory; the rest is brought by ``fill(_:with:at:)``.
    ///
    /// - Complexity: O(entities in memory + m log m) for m matches.
    mutating func evaluate(_ query: UInt32, at now: Int64) {
        guard let membership = queries[query].membership else { preconditionFailure("a local query without a rule") }
        let library = queries[query].library
        let type = queries[query].type
        var found: [(index: UInt32, sortKey: [UInt8])] = []
        entities.forEachIndex { index in
            guard entities.library(of: index) == library, entities.type(of: index) == type else { return }
            let payload = entities.payload(of: index)
            guard membership.matches(payload) else { return }
            found.append((index, membership.sortKey(of: payload, id: entities.key(of: index).id.text)))
        }
        found.sort { $0.sortKey.lexicographicallyPrecedes($1.sortKey) }
        queries.removeAllElements(of: query)
        for (place, match) in found.prefix(configuration.limits.queryElementCountMax).enumerated() {
            entities.setTracked(match.index, true)
            let handle = queries.keys.take(entities.key(of: match.index))
            queries.insert(handle, sortKey: match.sortKey, at: place, in: query)
        }
        if found.count > configuration.limits.queryElementCountMax {
            queries[query].horizon = found[configuration.limits.queryElementCountMax - 1].sortKey
        }
    }

    /// Library and type of a local query that only the journal knows all entities of; nil when memory has them all.
    package func placeToFill(_ query: UInt32) -> (library: LibraryIndex, type: TypeIndex)? {
        guard queries[query].isLocal, absentCount > 0 else { return nil }
        return (queries[query].library, queries[query].type)
    }

    /// Adds what matches of a page of the journal's entities to a local query's list, in a unit of its own.
    ///
    /// What is in memory was looked at already; what was deleted since the page's commit is passed over.
    package mutating func fill(_ query: UInt32, with page: LoadedEntities, at now: Int64) {
        guard queries[query].isLocal, let membership = queries[query].membership else { return }
        beginUnit(isMulti: true)
        for entity in page.entities where !isKnown(entity.key) {
            let sortKey = entity.payload.withUnsafeBytes { payload in
                membership.matches(payload) ? membership.sortKey(of: payload, id: entity.key.id.text) : nil
            }
            guard let sortKey else { continue }
            if let horizon = queries[query].horizon, horizon.lexicographicallyPrecedes(sortKey) { continue }
            // In memory, so that it can be shown when the query is observed.
            if queries[query].observerCount > 0 { install(LoadedEntities(entities: [entity])) }
            if let handle = queries.keys.handle(of: entity.key), queries.holds(handle, query) { continue }
            enter(entity.key, sortKey, query, at: now)
            if let index = withIdentity(entity.key, { entities.find($0) }) { entities.setTracked(index, true) }
        }
        isUnwritten = true
        endUnit(at: now)
    }
}

extension EntityStore {
    /// Every entity in memory by its slot, in no order.
    func forEachIndex(_ body: (UInt32) -> Void) {
        for index in 0..<UInt32(slotCount) where slot(index).pointee.flags.contains(.isLive) { body(index) }
    }
}
