import TidemarkJSON
import TidemarkModel

/// A unit is one event, batch, transaction or response: observers are notified of all its changes together.
extension CacheState {
    /// Begins a unit.
    ///
    /// - Parameter isMulti: True if it may change several entities, or one list in several places.
    mutating func beginUnit(isMulti: Bool) {
        if isUnitShared { return }
        buildLists()
        queries.recorder.begin(isMulti: isMulti)
    }

    /// Ends a unit and logs its changes for observers: queries by number, then entities in the order of their changes.
    mutating func endUnit(at now: Int64) {
        if isUnitShared { return }
        // No input reaches it: each entry into this module opens one unit and ends it before it returns.
        precondition(queries.recorder.isOpen, "no unit to end")
        if !queries.recorder.touched.isEmpty {
            var payloads = KeptPayloads()
            // The loops use indexes: an array that is being iterated over has two owners, and would not be emptied in
            // place.
            if queries.recorder.touched.count > 1 {
                queries.recorder.sortTouched { [entries = queries.entries] in entries[Int($0)].number }
            }
            for place in queries.recorder.touched.indices {
                logChange(of: queries.recorder.touched[place], &payloads, at: now)
            }
        }
        for place in queries.recorder.entities.indices { logChange(ofEntity: queries.recorder.entities[place]) }
        if !queries.recorder.renamed.isEmpty { logRenamed() }
        logFollowed()
        for place in queries.recorder.unpins.indices { queries.keys.unpin(queries.recorder.unpins[place]) }
        if let known = queries.recorder.knownHandle { queries.keys.setKnown(known, by: queries.lastLag) }
        queries.recorder.end()
    }

    private mutating func logChange(of query: QueryID, _ payloads: inout KeptPayloads, at now: Int64) {
        checkReserve(of: query)
        let isStale = queries[query].isStale(at: now)
        if queries[query].endUnitUnlogged(isStale: isStale) { return }
        let before = queries[query].before
        var handles = queries[query].endUnit()
        if queries.recorder.isMulti {
            handles = difference(of: query, since: before)
        } else if queries.recorder.isUncertain {
            if CacheState.hasReturning(handles) {
                handles = difference(of: query, since: shown(before: handles, of: query))
            }
            handles.removeAll { step in
                if case .replace(let handle, _) = step { !isReplaced(handle) } else { false }
            }
        }
        let isHeard = queries[query].listenerCount > 0
        let isHeldBack = isHeldBack(query, by: handles)
        let steps = handles.map { listStep($0, isHeard: isHeard, isHeldBack: isHeldBack, &payloads) }
        queries.recorder.noteKnown(handles)
        queries[query].steps.reuse(&handles)
        guard queries[query].observerCount > 0, !steps.isEmpty || isStale != queries[query].shownStale else { return }
        let previous = queries[query].noteLogged(isStale: isStale, at: queries.recorder.log.count)
        queries.recorder.append(
            .query(
                QueryChange(
                    query: query, steps: steps, isStale: isStale, isPending: queries[query].isPending,
                    isHeldBack: isHeldBack, asOf: queries[query].asOf, previous: previous)))
    }

    /// Returns true if an element was both removed from a list and added to it, in any order. An entity that a layer
    /// covers may be in the list twice.
    private static func hasReturning(_ steps: [HandleStep]) -> Bool {
        guard steps.count > 1 else { return false }
        return steps.contains { step in
            guard case .add(let added, _) = step else { return false }
            return steps.contains { if case .remove(added, _) = $0 { true } else { false } }
        }
    }

    /// Returns the elements that observers saw before the steps of a unit.
    private func shown(before steps: [HandleStep], of query: QueryID) -> [ListHandle] {
        var list = queries[query].list.shownPrefix(queries[query].shownCountMax)
        for step in steps.reversed() {
            switch step {
            case .add(_, let index): list.remove(at: index)
            case .remove(let handle, let index): list.insert(handle, at: index)
            case .replace: break
            case .move(let handle, let from, let to):
                list.remove(at: to)
                list.insert(handle, at: from)
            }
        }
        return list
    }

    /// Returns the steps from the elements that observers saw before the unit to the current ones.
    private func difference(of query: QueryID, since before: [ListHandle]) -> [HandleStep] {
        let after = queries[query].list.shownPrefix(queries[query].shownCountMax)
        let operations = ListDifference.operations(from: before, to: after) { isReplaced($0) }
        var list = before
        return operations.map { operation in
            switch operation {
            case .add(let handle, let index):
                list.insert(handle, at: index)
                return .add(handle, at: index)
            case .remove(let index):
                return .remove(list.remove(at: index), at: index)
            case .replace(let handle, let index):
                return .replace(handle, at: index)
            case .move(let from, let to):
                let handle = list.remove(at: from)
                list.insert(handle, at: to)
                return .move(handle, from: from, to: to)
            }
        }
    }

    /// Returns true if the visible value of an element that stayed in a list changed in the unit.
    private func isReplaced(_ handle: ListHandle) -> Bool {
        guard let old = queries.recorder.payloadsBefore[handle] else { return false }
        return withPayload(of: handle) { payload in
            old.withUnsafeBytes { !JSONText.haveEqualBytes($0, payload) }
        } ?? !old.isEmpty
    }

    /// Converts a step for observers.
    ///
    /// - Parameters:
    ///   - isHeard: True if some observer is notified now. Lagging observers get a later state.
    ///   - isHeldBack: True if no observer is notified yet, because some entity is not in memory.
    private func listStep(
        _ step: HandleStep, isHeard: Bool, isHeldBack: Bool, _ payloads: inout KeptPayloads
    ) -> ListStep {
        func payloadNow(_ handle: ListHandle) -> [UInt8] {
            guard isHeard, !isHeldBack || isInMemory(handle) else { return [] }
            return payload(of: handle, &payloads)
        }
        return switch step {
        case .add(let handle, let index):
            .add(ListedValue(handle: handle, payload: payloadNow(handle), old: [], knownBy: 0), at: index)
        case .remove(let handle, let index):
            .remove(
                ListedValue(
                    handle: handle, payload: [], old: old(of: handle), knownBy: queries.keys.knownBy(handle)),
                at: index)
        case .replace(let handle, let index):
            .replace(
                ListedValue(
                    handle: handle, payload: payloadNow(handle),
                    old: queries.recorder.payloadsBefore[handle] ?? [], knownBy: queries.keys.knownBy(handle)),
                at: index)
        case .move(let handle, let from, let to): .move(handle, from: from, to: to)
        }
    }

    /// Returns the value of a removed element as observers saw it: that before the unit, or the current one if it did
    /// not change.
    private func old(of handle: ListHandle) -> [UInt8] {
        queries.recorder.payloadsBefore[handle] ?? withPayload(of: handle) { Array($0) } ?? []
    }

    /// Returns an entity's payload. Lists that show the same entity share one copy.
    private func payload(of handle: ListHandle, _ payloads: inout KeptPayloads) -> [UInt8] {
        if let payload = payloads[handle] { return payload }
        guard let payload = withPayload(of: handle, { Array($0) }) else {
            // No input reaches it: what an observed list shows was loaded before it was observed, and is pinned since
            // (L9).
            preconditionFailure("an observed entity is not in memory (L9)")
        }
        payloads.keep(payload, of: handle)
        return payload
    }

    /// Returns true if an entity's value before a write is needed when the unit ends.
    ///
    /// - Complexity: O(lists that have it).
    func needsPayloadBefore(_ handle: ListHandle) -> Bool {
        // A larger unit compares the values before and after.
        if queries.recorder.isMulti || queries.keys.observerCount(of: handle) > 0 { return true }
        for place in 0..<queries.keys.holderCount(of: handle) {
            if queries.needsPayloadBefore(handle, in: queries.keys.holder(of: handle, at: place).query) { return true }
        }
        return false
    }

    private mutating func logChange(ofEntity handle: ListHandle) {
        let old = queries.recorder.payloadsBefore[handle] ?? []
        let current = queries.recorder.current(handle)
        let payload = withPayload(of: current) { Array($0) }
        let wasWhole = !queries.recorder.partialBefore.contains(handle)
        let isWhole = completeness(of: current) == .whole
        guard payload != nil || !old.isEmpty else { return queries.recorder.append(.absent(handle)) }
        guard payload ?? [] != old || wasWhole != isWhole else { return }
        queries.recorder.append(
            .entity(
                EntityChange(
                    handle: handle, payload: payload, old: old.isEmpty ? nil : old, isWhole: isWhole,
                    wasWhole: wasWhole)))
    }

    /// Calls `body` with an entity's resource as readers see it; returns nil if memory does not have it.
    func withPayload<Result>(of handle: ListHandle, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        if queries.keys.isLayered(handle) { return layers.overlays[handle]?.visible?.withUnsafeBytes(body) }
        return withIdentity(queries.keys.key(of: handle)) { entities.find($0) }.map { body(entities.payload(of: $0)) }
    }

    /// Returns how much of an entity is known, as readers see it.
    package func completeness(of handle: ListHandle) -> Completeness {
        guard let index = withIdentity(queries.keys.key(of: handle), { entities.find($0) }) else { return .whole }
        return completeness(of: handle, at: index)
    }

    /// Returns how much of a stored entity is known, as readers see it.
    ///
    /// - Parameter index: The entity's slot.
    func completeness(of handle: ListHandle, at index: SlotIndex) -> Completeness {
        let stored = entities.completeness(of: index)
        guard stored != .whole, queries.keys.isLayered(handle), layers.replaces(handle) else { return stored }
        return .whole
    }

    // MARK: The log

    /// The changes that observers are to be notified of, in order.
    package var changeLog: [ChangeRecord] { queries.recorder.log }

    /// Clears the log, once observers were notified of everything in it, or their lags have recorded it.
    package mutating func clearLog() {
        for place in queries.recorder.logged.indices { queries[queries.recorder.logged[place]].noteLogCleared() }
        queries.recorder.clearLog()
        queries.keys.recycle()
    }
}
