import TidemarkModel

/// Queries that are evaluated over the store.
extension CacheState {
    /// Evaluates a local query over the entities in memory. ``fill(_:with:at:)`` adds those of the journal.
    ///
    /// - Complexity: O(entities in memory + m log m) for m matches.
    mutating func evaluate(_ query: QueryID, at now: Int64) {
        // No input reaches it: a local answer without a rule is refused with its params.
        guard let membership = queries[query].membership else { preconditionFailure("a local query without a rule") }
        let library = queries[query].library
        let type = queries[query].type
        var found: [(index: SlotIndex, sortKey: [UInt8])] = []
        entities.forEachIndex { index in
            guard entities.library(of: index) == library, entities.type(of: index) == type,
                entities.completeness(of: index).isEvaluable
            else { return }
            let payload = entities.payload(of: index)
            guard membership.matches(payload) else { return }
            found.append((index, membership.sortKey(of: payload, id: entities.key(of: index).id.text)))
        }
        found.sort { $0.sortKey.lexicographicallyPrecedes($1.sortKey) }
        queries.removeAllElements(of: query)
        for (place, match) in found.prefix(configuration.limits.queryElementCountMax).enumerated() {
            entities.setTracked(match.index, true)
            let handle = queries.keys.admit(entities.key(of: match.index))
            queries.insert(handle, sortKey: match.sortKey, at: place, in: query)
        }
        let countMax = configuration.limits.queryElementCountMax
        queries[query].setHorizon(found.count > countMax ? found[countMax - 1].sortKey : nil)
        queries.lastFill += 1
        queries[query].fill.begin(residency.hasAbsent ? queries.lastFill : nil)
    }

    /// Returns the scan that completes a list; nil if memory had all entities when the list was made.
    package func fill(of query: QueryID) -> ListFill? {
        queries[query].fill.number.map { number in
            ListFill(
                query: query, number: number, library: queries[query].library, type: queries[query].type,
                constraint: queries[query].membership?.constraint)
        }
    }

    /// Marks a list as complete, at the end of its scan. No effect if another scan has begun.
    package mutating func end(_ fill: ListFill) {
        guard queries[fill.query].fill.number == fill.number else { return }
        queries[fill.query].fill.end()
        queries.markDirty(fill.query)
        isUnwritten = true
    }

    /// Removes a query whose list can no longer be completed.
    package mutating func giveUp(_ fill: ListFill, at now: Int64) {
        guard queries[fill.query].fill.number == fill.number else { return }
        isUnwritten = true
        beginUnit(isMulti: true)
        queries.beginChange(of: fill.query)
        queries.unstore(fill.query)
        if queries[fill.query].observerCount == 0 { queries.drop(fill.query) }
        endUnit(at: now)
    }

    /// Adds the matching entities from one page of the journal to a list, as one unit.
    ///
    /// If memory has an entity, that version counts, since it may have been loaded after the list was made. Entities
    /// deleted since the page's commit are skipped.
    ///
    /// - Returns: False if the query was evaluated again in the meantime, or no longer exists.
    package mutating func fill(_ fill: ListFill, with page: LoadedEntities, at now: Int64) -> Bool {
        let query = fill.query
        guard queries[query].fill.number == fill.number, let membership = queries[query].membership else {
            return false
        }
        beginUnit(isMulti: true)
        for entity in page.entities {
            if let handle = queries.keys.handle(of: entity.key), queries.holds(handle, query) { continue }
            guard let sortKey = sortKey(of: entity, in: query, membership) else { continue }
            if let horizon = queries[query].horizon, horizon.lexicographicallyPrecedes(sortKey) { continue }
            enter(entity.key, sortKey, query, at: now)
            if let index = withIdentity(entity.key, { entities.find($0) }) { entities.setTracked(index, true) }
            // Under layers made in the meantime it stays hidden until their effect is computed.
            if let handle = queries.keys.handle(of: entity.key), queries.keys.isLayered(handle) {
                refold(handle, at: now)
            }
        }
        // In memory, so that observers of the query can see them.
        if queries[query].observerCount > 0 {
            install(LoadedEntities(entities: page.entities.filter { isPinned($0.key) }))
        }
        isUnwritten = true
        endUnit(at: now)
        return true
    }

    /// Returns the sort key of a journal's entity in a list; nil if it does not belong there.
    private func sortKey(of entity: StoredEntity, in query: QueryID, _ membership: Membership) -> [UInt8]? {
        func place(_ payload: UnsafeRawBufferPointer) -> [UInt8]? {
            membership.matches(payload) ? membership.sortKey(of: payload, id: entity.key.id.text) : nil
        }
        if let index = withIdentity(entity.key, { entities.find($0) }) {
            guard entities.completeness(of: index).isEvaluable, queries[query].fill.needs(entities.stamp(of: index))
            else {
                return nil
            }
            return place(entities.payload(of: index))
        }
        let stamp = EntityStamp(
            sequence: entity.sequence, packedGeneration: entity.generation, writtenAt: entity.writtenAt)
        guard !isKnown(entity.key), Completeness(fields: entity.fields).isEvaluable, queries[query].fill.needs(stamp)
        else {
            return nil
        }
        return entity.payload.withUnsafeBytes(place)
    }

}

/// A scan that completes a list. Until it ends, the journal does not have the query: after a crash the list would be
/// taken for complete.
package struct ListFill: Sendable {
    let query: QueryID
    let number: Int64
    /// The library to scan.
    package let library: LibraryIndex
    /// The type of the entities to scan.
    package let type: TypeIndex
    /// What the query's rule demands of single fields; nil without a rule.
    package let constraint: FieldConstraint?
}

extension EntityStore {
    /// Calls `body` for the slot of every entity in memory, in no order.
    func forEachIndex(_ body: (SlotIndex) -> Void) {
        for index in 0..<slotCount where slot(SlotIndex(index)).pointee.flags.contains(.isLive) {
            body(SlotIndex(index))
        }
    }
}
