import TidemarkModel
import TidemarkStore

extension CacheState {
    /// Merges a page of the journal's entities with those in memory.
    ///
    /// - Parameter stored: Up to `countMax + 1` entities after `after`, as of the last commit.
    mutating func page(
        type: ByteString, library: ByteString, after: EntityKey?, stored: LoadedEntities, countMax: Int
    ) -> EntityPage {
        var found: [(id: ByteString, resource: [UInt8])] = []
        // After the last stored entity of the page the journal may have others that are not in memory.
        let end = stored.entities.count + stored.damaged.count > countMax ? stored.last?.text : nil
        forEachResident(library: library, type: type) { id, resource in
            if let after, id <= after.id { return }
            if let end, id > end { return }
            found.append((id, Array(resource)))
        }
        for entity in stored.entities
        where !isKnown(entity.key) && Completeness(fields: entity.fields) == .whole {
            found.append((entity.key.id.text, entity.payload))
        }
        found.sort { $0.id < $1.id }
        let page = found.prefix(countMax)
        var next: EntityKey?
        if found.count > countMax, let last = page.last {
            next = EntityKey(library: library, type: type, id: last.id)
        } else if let end {
            next = EntityKey(library: library, type: type, id: end)
        }
        return EntityPage(entities: page.map(\.resource), next: next)
    }
}
