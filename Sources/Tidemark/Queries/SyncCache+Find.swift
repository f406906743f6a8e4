import TidemarkModel
import TidemarkStore

/// Finds entities by key or by a condition, in an order.
extension SyncCache {
    /// Returns the first entities that match, in order, optimistic edits included.
    ///
    /// The search scans memory, and then the journal a page at a time; other calls run between pages. Each returned
    /// entity is as it was at one moment of the search, and matched then. An entity that changes meanwhile may be found
    /// as it was before or after.
    ///
    /// - Throws: ``CacheError``: `invalidParams` when the entity to continue after has no place in the order any more;
    ///   `storageFailed`.
    /// - Complexity: O(entities of the type), or O(entities that an index names) where one fits; in memory O(countMax).
    package func find(_ finding: EntityFinding) async throws(CacheError) -> FoundEntities {
        try checkOpen()
        turns.loads.begin()
        defer { endLoading() }
        while true {
            let place = try await place(of: finding)
            var first = FirstMatches(finding, place: place)
            state.forEachResident(library: finding.library, type: finding.rule.resourceType) { id, payload in
                first.offer(id, payload)
            }
            do throws(StorageError) {
                try await searchJournal(finding, &first)
            } catch {
                throw CacheError(error)
            }
            refresh(&first, finding)
            // If all of the first matches are gone meanwhile, there are others.
            if first.matches.isEmpty, first.bound != nil { continue }
            return found(first, finding)
        }
    }

    /// Returns the sort key of the entity after which a page begins.
    private func place(of finding: EntityFinding) async throws(CacheError) -> [UInt8]? {
        guard let after = finding.after else { return nil }
        guard finding.rule.orderCount > 0 else { return after.id.bytes }
        let sortKey: [UInt8]?
        do throws(StorageError) {
            sortKey = try await withLoaded({ state.keyToLoad(after).map { [$0] } ?? [] }) {
                state.visiblePayload(of: after)?.withUnsafeBytes { finding.rule.sortKey(of: $0, id: after.id) }
            }
        } catch {
            throw CacheError(error)
        }
        guard let sortKey else {
            throw CacheError(
                .invalidParams, "after is '\(after.text)', which is not there any more: begin again without after")
        }
        return sortKey
    }

    private func searchJournal(_ finding: EntityFinding, _ first: inout FirstMatches) async throws(StorageError) {
        let type = finding.rule.resourceType
        guard let place = state.storedTypes(library: finding.library, type: type).first else { return }
        var after = finding.rule.orderCount == 0 ? finding.after.map { StoredID($0.id) } : nil
        while true {
            let commit = flushes.commitCount
            let page = try await journal.page(
                library: place.library, type: place.type, after: after, countMax: SyncCache.pageCountMax,
                constraint: finding.rule.constraint)
            // A commit during the read may have made the page older than what memory had then: read it again.
            guard commit == flushes.commitCount else { continue }
            guard let last = page.last else { return }
            after = last
            for entity in page.entities {
                guard state.isKnown(entity.key) else {
                    guard Completeness(fields: entity.fields) == .whole else { continue }
                    entity.payload.withUnsafeBytes { first.offer(entity.key.id.text, $0) }
                    continue
                }
                let key = EntityKey(library: finding.library, type: type, id: entity.key.id.text)
                offerVisible(key, &first)
            }
            if first.isFull(beyond: last.text) { return }
        }
    }

    /// Updates the matches to what memory has of them now.
    private func refresh(_ first: inout FirstMatches, _ finding: EntityFinding) {
        for match in first.matches {
            let key = EntityKey(library: finding.library, type: finding.rule.resourceType, id: match.id)
            if state.keyToLoad(key) == nil { offerVisible(key, &first) }
        }
    }

    private func offerVisible(_ key: EntityKey, _ first: inout FirstMatches) {
        guard let payload = state.visiblePayload(of: key) else { return first.remove(key.id) }
        payload.withUnsafeBytes { first.offer(key.id, $0, isNew: false) }
    }

    private func found(_ first: FirstMatches, _ finding: EntityFinding) -> FoundEntities {
        var found = FoundEntities()
        found.readCount = first.readCount
        for match in first.matches.prefix(finding.countMax) {
            found.keys.append(
                EntityKey(library: finding.library, type: finding.rule.resourceType, id: match.id))
            found.entities.append(match.payload)
        }
        if first.matches.count > finding.countMax || first.bound != nil { found.next = found.keys.last }
        return found
    }
}

extension CacheState {
    /// Returns an entity with optimistic edits, if all of it is in memory. Does not count as a use for the LRU order.
    package func visiblePayload(of key: EntityKey) -> [UInt8]? {
        guard let stored = storedKey(of: key) else { return nil }
        return visiblePayload(ofStored: stored)
    }
}
