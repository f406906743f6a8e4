import TidemarkModel

/// A query's list as a reader gets it.
package struct ListedEntities: Sendable {
    package var keys: [EntityKey] = []
    package var resources: [[UInt8]] = []
    /// Whether a layer changes an element that is shown, or hides one that would be shown.
    package var isPending = false
    /// The first element whose entity is in no tier, or lacks a requested field; nil when there is none.
    package var missing: Missing?
    /// Whether a list that is evaluated over the store lost elements that are in no tier. The elements that follow may
    /// have to be loaded.
    package var isShortened = false

    package var isPartial: Bool { missing != nil }

    package struct Missing: Hashable, Sendable {
        package var key: EntityKey
        /// Whether some fields of the entity are known.
        package var isReduced: Bool
    }

    package init() {}
}

/// The status of a query, known before its entities are read.
package struct QueryStatus: Sendable {
    package var query: QueryID
    package var isLocal: Bool
    /// The time when the query became stale, in milliseconds since 1970; nil while it is fresh.
    package var staleSince: Int64?
    package var asOf: EventSequence?
}

extension CacheState {
    /// Returns the status of a stored query; nil when there is no answer. Counts as a read.
    package mutating func status(of key: QueryKey, at now: Int64) -> QueryStatus? {
        guard let query = queries.find(key), queries[query].isStored else { return nil }
        queries.touch(query)
        return QueryStatus(
            query: query, isLocal: queries[query].isLocal, staleSince: queries[query].staleSince(at: now),
            asOf: queries[query].asOf)
    }

    /// Returns the shown elements that only the journal may have.
    ///
    /// - Parameter isWhole: Whether to include elements beyond the limit that an observer keeps in memory.
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

    /// Returns the shown elements with their resources. An element that is in no tier is left out and hidden from now
    /// on. A reduced entity is left out when the reader wants more fields than are left.
    ///
    /// - Parameter fields: The fields that the reader wants of each; nil: all.
    /// - Parameter isFetched: Whether the query was just answered: the fields that answers bring are then enough.
    /// - Parameter isWhole: Whether elements beyond the limit are checked too, because an observer may come to see
    ///   them.
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

    /// Returns a list that has not changed since it was read. Counts as a read of its entities, like the first one.
    private mutating func reread(_ kept: KeptList, of query: QueryID) -> ListedEntities {
        for index in kept.slots { entities.touch(index) }
        var listed = ListedEntities()
        listed.keys = kept.keys
        listed.resources = kept.resources
        listed.isPending = queries[query].isPending
        return listed
    }

    /// Tells whether an own element of a list has layers and no base, and the list was not updated for it: the list was
    /// read from the journal. Without the layers it would show an entity that is in no tier.
    private func isBaseless(_ handle: ListHandle, _ marks: ElementMarks) -> Bool {
        marks.contains(.isLayered) && marks.isDisjoint(with: [.isExtra, .isMissing])
            && withIdentity(queries.keys.key(of: handle)) { entities.find($0) } == nil
    }

    /// Tells whether the known fields of an entity are enough for a reader of a list.
    ///
    /// - Complexity: O(1) for an entity that is whole, else O(resource).
    private func isEnough(
        _ index: SlotIndex, _ handle: ListHandle, _ layered: [UInt8]?, _ fields: Set<[UInt8]>?, isFetched: Bool
    ) -> Bool {
        let completeness = completeness(of: handle, at: index)
        if completeness == .whole || completeness == .answered && (isFetched || fields == nil) { return true }
        guard let fields else { return false }
        if let layered { return layered.withUnsafeBytes { JSONObject.has($0, fields) } }
        return JSONObject.has(entities.payload(of: index), fields)
    }

    /// Hides an element whose entity is in no tier: a list with a rule removes it, another list marks it missing.
    mutating func forget(_ node: ListNode, of query: QueryID, at now: Int64) {
        if queries[query].membership == nil {
            queries.setMissing(node, true, in: query)
        } else {
            queries.remove(node, of: query)
            if !queries[query].isLocal { markStale(query, because: .list, at: now) }
        }
    }

    package func isStale(_ query: QueryID, at now: Int64) -> Bool { queries[query].isStale(at: now) }

    package func isPending(_ query: QueryID) -> Bool { queries[query].isPending }

    package func asOf(_ query: QueryID) -> EventSequence? { queries[query].asOf }

    /// Returns the handles of the elements that observers see now.
    package func shownHandles(of query: QueryID) -> [ListHandle] {
        queries[query].list.shownPrefix(queries[query].shownCountMax)
    }

    /// Returns a resource by its number in the reverse index; nil when memory does not have it.
    package func resource(of handle: ListHandle) -> [UInt8]? { withPayload(of: handle) { Array($0) } }

    package var queryCount: Int { queries.storedCount }
}

/// Single entities and types, for readers.
extension CacheState {
    /// Returns the key of an entity that only the journal may have; nil when memory knows its state.
    package func keyToLoad(_ key: EntityKey) -> StoredKey? {
        guard residency.hasAbsent, let stored = storedKey(of: key), !isKnown(stored) else { return nil }
        return stored
    }

    /// Calls `body` with every complete entity of a type in memory, as readers see it, in no order.
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

    package func typeName(of query: QueryID) -> ByteString { types.name(of: queries[query].type) }

    /// Whether a query's time to live is over; false when something else made it stale before.
    package func isExpired(_ query: QueryID, at now: Int64) -> Bool {
        queries[query].staleSince == nil && queries[query].staleSince(at: now) != nil
    }
}
