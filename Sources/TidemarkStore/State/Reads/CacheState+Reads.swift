import TidemarkJSON
import TidemarkModel

/// A query's list as a reader receives it.
package struct ListedEntities: Sendable {
    /// The keys of the elements, in list order.
    package var keys: [EntityKey] = []
    /// The resources of the elements, in the order of `keys`.
    package var resources: [[UInt8]] = []
    /// True if a layer changes an element that is shown, or hides one that would be shown.
    package var isPending = false
    /// The first element whose entity is in neither tier, or lacks a requested field; nil if there is none.
    package var missing: Missing?
    /// True if a list that is evaluated over the store lost elements whose entities are in neither tier. The elements
    /// that replace them may have to be loaded.
    package var isShortened = false

    /// True if some element is missing.
    package var isPartial: Bool { missing != nil }

    /// A listed entity that cannot be returned.
    package struct Missing: Hashable, Sendable {
        /// The entity's key.
        package var key: EntityKey
        /// True if some fields of the entity are known.
        package var isReduced: Bool
    }

    /// Creates an empty list.
    package init() {}
}

/// The status of a query, before its entities are read.
package struct QueryStatus: Sendable {
    /// The query's number in memory.
    package var query: QueryID
    /// True if the query is evaluated over the store.
    package var isLocal: Bool
    /// When the query became stale, in milliseconds since 1970; nil while it is fresh.
    package var staleSince: Int64?
    /// The position in the log of the query's answer; nil if unknown.
    package var asOf: EventSequence?
}

extension CacheState {
    /// Returns the status of a stored query; nil if there is no answer. Counts as a read of the query.
    package mutating func status(of key: QueryKey, at now: Int64) -> QueryStatus? {
        guard let query = queries.find(key), queries[query].isStored else { return nil }
        queries.touch(query)
        return QueryStatus(
            query: query, isLocal: queries[query].isLocal, staleSince: queries[query].staleSince(at: now),
            asOf: queries[query].asOf)
    }

    /// Returns the keys of shown elements that only the journal may have.
    ///
    /// - Parameter isWhole: True to include the elements beyond the limit that an observer keeps in memory.
    package mutating func keysToLoad(ofList query: QueryID, isWhole: Bool = false) -> [StoredKey] {
        buildList(of: query)
        guard residency.hasAbsent, isWhole || queries[query].kept == nil else { return [] }
        let list = queries[query].list
        let countMax = isWhole ? queries[query].pinnedCountMax : queries[query].shownCountMax
        var missing: [StoredKey] = []
        var place = 0
        list.forEachNode { node in
            guard place < countMax, !list.marks(of: node).contains(.isCovered) else { return }
            place += 1
            let key = queries.keys.key(of: list.handle(of: node))
            if !isKnown(key) { missing.append(key) }
        }
        return missing
    }

    /// Returns the shown elements with their resources.
    ///
    /// An element whose entity is in neither tier is left out, and hidden from now on. A reduced entity is left out if
    /// the reader wants more fields than are left.
    ///
    /// - Parameters:
    ///   - query: A stored query.
    ///   - fields: The fields that the reader wants of each entity; nil for all.
    ///   - isFetched: True if the query was just answered: the fields that responses supply are then enough.
    ///   - now: The time, in milliseconds since 1970.
    ///   - isWhole: True to check elements beyond the limit too, because an observer may see them later.
    /// - Precondition: The keys of ``keysToLoad(ofList:isWhole:)`` were loaded.
    package mutating func list(
        _ query: QueryID, fields: Set<[UInt8]>? = nil, isFetched: Bool = false, at now: Int64, isWhole: Bool = false
    ) -> ListedEntities {
        buildList(of: query)
        if !isWhole, let kept = queries[query].kept { return reread(kept, of: query) }
        var listed = ListedEntities()
        var slots: [SlotIndex] = []
        var isKeepable = true
        var lost: [ListNode] = []
        var baseless: [ListNode] = []
        let list = queries[query].list
        let library = queries[query].key.library
        let type = types.name(of: queries[query].type)
        listed.keys.reserveCapacity(list.count)
        listed.resources.reserveCapacity(list.count)
        let shownCountMax = queries[query].shownCountMax
        let countMax = isWhole ? queries[query].pinnedCountMax : shownCountMax
        func miss(_ key: StoredKey, isReduced: Bool) {
            guard listed.missing == nil else { return }
            let name = EntityKey(library: library, type: type, id: key.id.text)
            listed.missing = ListedEntities.Missing(key: name, isReduced: isReduced)
        }
        var place = 0
        list.forEachNode { node in
            let marks = list.marks(of: node)
            if isWhole, isBaseless(list.handle(of: node), marks) { baseless.append(node) }
            guard place < countMax, !marks.contains(.isCovered) else { return }
            defer { place += 1 }
            let handle = list.handle(of: node)
            let key = queries.keys.key(of: handle)
            let index = withIdentity(key) { entities.find($0) }
            let layered = queries.keys.isLayered(handle) ? layers.overlays[handle]?.visible : nil
            guard index != nil || layered != nil else {
                lost.append(node)
                if place < shownCountMax { miss(key, isReduced: false) }
                return
            }
            guard place < shownCountMax else { return }
            if let index, !isEnough(index, handle, layered, fields, isFetched: isFetched) {
                miss(key, isReduced: true)
                return
            }
            if let index {
                entities.touch(index)
                slots.append(index)
                isKeepable = isKeepable && completeness(of: handle, at: index) == .whole
            } else {
                isKeepable = false
            }
            listed.keys.append(EntityKey(library: library, type: type, id: key.id.text))
            listed.resources.append(layered ?? index.map { Array(entities.payload(of: $0)) } ?? [])
        }
        listed.isPending = queries[query].isPending
        let hidden = lost.filter { list.isShown($0) }
        if !hidden.isEmpty || !baseless.isEmpty {
            beginUnit(isMulti: true)
            for node in hidden { forget(node, of: query, at: now) }
            for node in baseless {
                let handle = list.handle(of: node)
                forget(node, of: query, at: now)
                refold(handle, at: now)
            }
            endUnit(at: now)
            listed.isShortened = queries[query].isLocal
        } else if isKeepable, !listed.isPartial, lost.isEmpty {
            queries.keep(KeptList(keys: listed.keys, resources: listed.resources, slots: slots), of: query)
        }
        return listed
    }

    /// Returns a list that has not changed since it was last read. Counts as a read of its entities.
    private mutating func reread(_ kept: KeptList, of query: QueryID) -> ListedEntities {
        for index in kept.slots { entities.touch(index) }
        var listed = ListedEntities()
        listed.keys = kept.keys
        listed.resources = kept.resources
        listed.isPending = queries[query].isPending
        return listed
    }

    /// Returns true if a list's own element has layers but no base, and the list, read from the journal, was not
    /// updated for that. Without the layers it would show an entity that is in neither tier.
    private func isBaseless(_ handle: ListHandle, _ marks: ElementMarks) -> Bool {
        marks.contains(.isLayered) && marks.isDisjoint(with: [.isExtra, .isMissing])
            && withIdentity(queries.keys.key(of: handle)) { entities.find($0) } == nil
    }

    /// Returns true if the known fields of an entity are enough for a reader of a list.
    ///
    /// - Complexity: O(1) for a complete entity, otherwise O(resource).
    private func isEnough(
        _ index: SlotIndex, _ handle: ListHandle, _ layered: [UInt8]?, _ fields: Set<[UInt8]>?, isFetched: Bool
    ) -> Bool {
        let completeness = completeness(of: handle, at: index)
        if completeness == .whole || completeness == .answered && (isFetched || fields == nil) { return true }
        guard let fields else { return false }
        if let layered { return layered.withUnsafeBytes { JSONObject.has($0, fields) } }
        return JSONObject.has(entities.payload(of: index), fields)
    }

    /// Hides an element whose entity is in neither tier: a list with a rule removes it, another one marks it as
    /// missing.
    mutating func forget(_ node: ListNode, of query: QueryID, at now: Int64) {
        if queries[query].membership == nil {
            queries.setMissing(node, true, in: query)
        } else {
            queries.remove(node, of: query)
            if !queries[query].isLocal { markStale(query, because: .list, at: now) }
        }
    }

    /// Returns true if readers see a query's list as stale.
    package func isStale(_ query: QueryID, at now: Int64) -> Bool { queries[query].isStale(at: now) }

    /// Returns true if layers change something that a query shows.
    package func isPending(_ query: QueryID) -> Bool { queries[query].isPending }

    /// Returns the position in the log of a query's answer; nil if unknown.
    package func asOf(_ query: QueryID) -> EventSequence? { queries[query].asOf }

    /// Returns the handles of the elements that observers see now.
    package func shownHandles(of query: QueryID) -> [ListHandle] {
        queries[query].list.shownPrefix(queries[query].shownCountMax)
    }

    /// Returns an entity's resource as readers see it; nil if memory does not have it.
    package func resource(of handle: ListHandle) -> [UInt8]? { withPayload(of: handle) { Array($0) } }

    /// How many queries have an answer.
    package var queryCount: Int { queries.storedCount }
}

/// Single entities and types, for readers.
extension CacheState {
    /// Returns the stored key of an entity that only the journal may have; nil if memory knows its state.
    package func keyToLoad(_ key: EntityKey) -> StoredKey? {
        guard residency.hasAbsent, let stored = storedKey(of: key), !isKnown(stored) else { return nil }
        return stored
    }

    /// Calls `body` for every complete entity of a type in memory, as readers see it, in no order.
    package func forEachResident(
        library: ByteString, type: ByteString, _ body: (ByteString, UnsafeRawBufferPointer) -> Void
    ) {
        guard let libraryIndex = libraries.index(of: library),
            let typeIndex = types.index(of: type)
        else { return }
        entities.forEachIndex { index in
            guard entities.library(of: index) == libraryIndex, entities.type(of: index) == typeIndex else { return }
            let key = entities.key(of: index)
            if entities.isTracked(index), isLayered(key) { return }
            if entities.completeness(of: index) != .whole { return }
            body(key.id.text, entities.payload(of: index))
        }
        for (handle, overlay) in layers.overlays {
            let key = queries.keys.key(of: handle)
            guard key.library == libraryIndex, key.type == typeIndex, completeness(of: handle) == .whole else {
                continue
            }
            overlay.visible?.withUnsafeBytes { body(key.id.text, $0) }
        }
    }

    /// Returns the name of the resource type of a query's elements.
    package func typeName(of query: QueryID) -> ByteString { types.name(of: queries[query].type) }

    /// Returns true if a query is stale only because its time to live is over.
    package func isExpired(_ query: QueryID, at now: Int64) -> Bool {
        queries[query].staleSince == nil && queries[query].staleSince(at: now) != nil
    }
}
