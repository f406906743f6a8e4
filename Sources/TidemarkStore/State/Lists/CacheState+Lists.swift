import TidemarkModel

/// How a write of one entity changes lists: those that have it, and those whose rule it may now fulfil.
extension CacheState {
    /// Prepares a write or removal of an entity: keeps the value that observers saw.
    ///
    /// - Returns: The entity's handle in the reverse index; nil if nothing names it.
    mutating func prepareWrite(_ index: SlotIndex) -> ListHandle? {
        guard entities.isTracked(index) else { return nil }
        guard let handle = queries.keys.handle(of: entities.key(of: index)) else {
            entities.setTracked(index, false)
            return nil
        }
        if queries.keys.isLayered(handle) || needsPayloadBefore(handle) { keepPayloadBefore(of: handle, at: index) }
        return handle
    }

    /// Keeps the value of an entity that observers saw before the unit.
    ///
    /// - Parameter index: The entity's slot; nil if it is not stored.
    mutating func keepPayloadBefore(of handle: ListHandle, at index: SlotIndex?) {
        if !followedTypes.isEmpty { noteBefore(queries.keys.key(of: handle)) }
        guard queries.keys.isPinned(handle), queries.recorder.payloadsBefore[handle] == nil else { return }
        let look =
            queries.keys.isLayered(handle)
            ? layers.overlays[handle]?.visible ?? [] : index.map { Array(entities.payload(of: $0)) } ?? []
        let isPartial = index.map { completeness(of: handle, at: $0) != .whole } ?? false
        queries.recorder.keep(look, before: handle, isPartial: isPartial)
    }

    /// Updates lists after an entity was written.
    ///
    /// - Parameter handle: What ``prepareWrite(_:)`` returned.
    mutating func followWrite(of index: SlotIndex, handle: ListHandle?, at now: Int64) {
        queries.recorder.beginWrite()
        let isLayered = handle.map { queries.keys.isLayered($0) } ?? false
        if let handle {
            noteObserved(handle)
            for place in stride(from: queries.keys.holderCount(of: handle) - 1, through: 0, by: -1) {
                follow(queries.keys.holder(of: handle, at: place), index, at: now)
            }
        }
        let library = entities.library(of: index)
        let type = entities.type(of: index)
        if entities.completeness(of: index).isEvaluable {
            let payload = entities.payload(of: index)
            for query in queries.candidates(library: library, type: type, resource: payload)
            where queries[query].visit != queries.recorder.writeStamp {
                enter(index, query, at: now)
            }
        }
        if isLayered, let handle { refold(handle, at: now) }
    }

    /// Updates lists after an entity was added: a new one, or one that is stored again.
    mutating func followInsert(of index: SlotIndex, at now: Int64) {
        let handle = queries.keys.isEmpty ? nil : queries.keys.handle(of: entities.key(of: index))
        if let handle {
            entities.setTracked(index, true)
            keepPayloadBefore(of: handle, at: nil)
            noteEndedLog(handle, by: entities.stamp(of: index))
        }
        followWrite(of: index, handle: handle, at: now)
    }

    /// Removes a deleted entity from every list.
    mutating func followDelete(_ handle: ListHandle, at now: Int64) {
        // A layer may show an entity that is not stored.
        keepPayloadBefore(of: handle, at: nil)
        noteObserved(handle)
        for place in stride(from: queries.keys.holderCount(of: handle) - 1, through: 0, by: -1) {
            let holder = queries.keys.holder(of: handle, at: place)
            guard !queries.isExtra(holder) else { continue }
            queries.remove(holder.node, of: holder.query)
            checkLength(of: holder.query, at: now)
        }
        if queries.keys.isLayered(handle) { refold(handle, at: now) }
    }

    /// Updates lists after a removal, which implies nothing about the server. Lists with a rule drop the entity; others
    /// mark it as missing.
    mutating func followRemoval(_ handle: ListHandle, at now: Int64) {
        noteObserved(handle)
        for place in stride(from: queries.keys.holderCount(of: handle) - 1, through: 0, by: -1) {
            let holder = queries.keys.holder(of: handle, at: place)
            guard !queries.isExtra(holder) else { continue }
            if queries[holder.query].membership == nil {
                queries.setMissing(holder.node, true, in: holder.query)
            } else {
                queries.remove(holder.node, of: holder.query)
                if !queries[holder.query].isLocal { markStale(holder.query, because: .list, at: now) }
            }
        }
        if queries.keys.isLayered(handle) { refold(handle, at: now) }
    }

    /// Updates lists after an entity was reduced. Rules cannot be evaluated over it any more, so lists with a rule drop
    /// it; others keep it for readers of the remaining fields.
    mutating func followReduction(_ handle: ListHandle, at now: Int64) {
        queries.dropKept(holding: handle)
        for place in stride(from: queries.keys.holderCount(of: handle) - 1, through: 0, by: -1) {
            let holder = queries.keys.holder(of: handle, at: place)
            guard !queries.isExtra(holder), queries[holder.query].membership != nil else { continue }
            queries.remove(holder.node, of: holder.query)
            if !queries[holder.query].isLocal { markStale(holder.query, because: .list, at: now) }
        }
    }

    mutating func noteObserved(_ handle: ListHandle) {
        if queries.keys.observerCount(of: handle) > 0 { queries.recorder.noteChanged(handle) }
    }

    /// Updates a list that already has the entity. The effect of layers is computed afterwards.
    private mutating func follow(_ holder: ListedKeys.Holder, _ index: SlotIndex, at now: Int64) {
        let query = holder.query
        let marks = queries[query].list.marks(of: holder.node)
        if marks.contains(.isExtra) { return }
        queries[query].noteVisit(queries.recorder.writeStamp)
        guard let membership = queries[query].membership else {
            if marks.contains(.isMissing) {
                queries.setMissing(holder.node, false, in: query)
            } else if !marks.contains(.isLayered) {
                queries.replace(holder.node, in: query)
            }
            return
        }
        let payload = entities.payload(of: index)
        guard membership.matches(payload) else {
            queries.remove(holder.node, of: query)
            checkLength(of: query, at: now)
            return
        }
        let sortKey = membership.sortKey(of: payload, id: entities.key(of: index).id.text)
        if sortKey != queries[query].list.sortKey(of: holder.node) {
            if let horizon = queries[query].horizon, horizon.lexicographicallyPrecedes(sortKey) {
                // There may be unknown elements between the list's end and the entity's new place.
                queries.remove(holder.node, of: query)
                checkLength(of: query, at: now)
                return
            }
            queries.resort(holder.node, sortKey, in: query)
        }
        if !marks.contains(.isLayered) { queries.replace(holder.node, in: query) }
    }

    /// Adds an entity to a list if it fulfils the rule, as far as the list is known.
    mutating func enter(_ index: SlotIndex, _ query: QueryID, at now: Int64) {
        guard entities.completeness(of: index).isEvaluable else {
            // A reduced entity cannot be evaluated, so nobody knows whether it belongs to the list.
            if !queries[query].isLocal { markStale(query, because: .list, at: now) }
            return
        }
        let payload = entities.payload(of: index)
        guard let membership = queries[query].membership, membership.matches(payload) else { return }
        let key = entities.key(of: index)
        let sortKey = membership.sortKey(of: payload, id: key.id.text)
        if let horizon = queries[query].horizon, horizon.lexicographicallyPrecedes(sortKey) { return }
        guard admitsLate(query, at: now) else { return }
        entities.setTracked(index, true)
        enter(key, sortKey, query, at: now)
    }

    /// Inserts a key at the place of its sort key, and removes the last element if there are too many.
    mutating func enter(_ key: StoredKey, _ sortKey: [UInt8], _ query: QueryID, at now: Int64) {
        let countMax = queries[query].elementCountMax(configuration.limits)
        if queries[query].list.lowerBound(sortKey, among: .own) >= countMax {
            // It would be the last element, and be removed at once.
            endAtMaximum(query, countMax)
            queries.markDirty(query)
            return checkLength(of: query, at: now)
        }
        let handle = queries.keys.admit(key)
        queries.insert(
            handle, sortKey: sortKey, marks: queries.keys.isLayered(handle) ? [.isLayered, .isCovered] : [],
            at: queries[query].list.lowerBound(sortKey, among: .all), in: query)
        guard queries[query].list.count > countMax else { return }
        endAtMaximum(query, countMax)
        queries.remove(queries[query].list.node(at: countMax, among: .own), of: query)
        checkLength(of: query, at: now)
    }

    /// Moves the horizon of a full list to its last element.
    private mutating func endAtMaximum(_ query: QueryID, _ countMax: Int) {
        let last = queries[query].list.node(at: countMax - 1, among: .own)
        queries.setHorizon(queries[query].list.sortKey(of: last), of: query)
    }

    /// Marks a list as stale if it shows too few elements because the following ones are unknown.
    mutating func checkLength(of query: QueryID, at now: Int64) {
        guard queries[query].horizon != nil, queries[query].list.count < queries[query].shownCountMax else { return }
        markStale(query, because: .list, at: now)
    }
}

extension QueryIndex {
    /// Returns true if only layers put the element into its list.
    func isExtra(_ holder: ListedKeys.Holder) -> Bool {
        self[holder.query].list.marks(of: holder.node).contains(.isExtra)
    }
}

extension EntityStore {
    func isTracked(_ index: SlotIndex) -> Bool { slot(index).pointee.flags.contains(.isTracked) }

    mutating func setTracked(_ index: SlotIndex, _ isTracked: Bool) {
        if isTracked {
            slot(index).pointee.flags.insert(.isTracked)
        } else {
            slot(index).pointee.flags.remove(.isTracked)
        }
    }

    func library(of index: SlotIndex) -> LibraryIndex { slot(index).pointee.library }

    func type(of index: SlotIndex) -> TypeIndex { slot(index).pointee.type }
}
