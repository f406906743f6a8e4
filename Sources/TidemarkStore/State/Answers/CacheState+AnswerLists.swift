import TidemarkModel

/// Makes the list of a query from a response.
extension CacheState {
    /// Stores everything that a response says about its query, except the list.
    ///
    /// - Parameter question: The number of the request that was answered.
    mutating func refile(
        _ query: QueryID, _ head: QueryResultHead, type: TypeIndex, _ question: Int64, at now: Int64
    ) {
        queries.beginChange(of: query)
        if queries[query].isStored { queries.unfile(query) }
        // Elements of another type, or under another rule, do not belong to the new list. Neither do those of a list
        // that was evaluated over the store, because no server named them.
        if queries[query].type != type || queries[query].membershipText != head.membershipText || head.isLocal
            || queries[query].isLocal
        {
            queries.removeAllElements(of: query)
        }
        let listedThrough = head.asOf ?? (head.start.map(\.cursor) ?? cursor(of: queries[query].library))
        queries[query].adopt(head, type: type, listedThrough: listedThrough, question: question, at: now)
        queries.file(query)
        queries.markDirty(query)
        queries.touch(query)
    }

    /// Makes the list from the response's entities, in the server's order or, under a rule, in the order of the rule.
    mutating func list(_ listed: [Listed], in query: QueryID, answered: Int, at now: Int64) {
        var elements: [(key: StoredKey, sortKey: [UInt8], marks: ElementMarks)] = []
        elements.reserveCapacity(listed.count)
        // Writes of the response's entities were followed by the old list. Staleness and horizon that came from this
        // are void.
        queries[query].beginAnsweredList()
        // The empty key precedes every sort key.
        var horizon: [UInt8] = []
        var isUnsure = false
        for element in listed {
            guard let membership = queries[query].membership else {
                if let index = element.index { entities.setTracked(index, true) }
                elements.append((element.key, [], element.index == nil ? .isMissing : []))
                continue
            }
            guard let index = element.index, entities.completeness(of: index).isEvaluable else {
                isUnsure = true
                continue
            }
            entities.setTracked(index, true)
            let key = element.key
            let payload = entities.payload(of: index)
            let sortKey = membership.sortKey(of: payload, id: key.id.text)
            if !element.isNewer, horizon.lexicographicallyPrecedes(sortKey) { horizon = sortKey }
            if membership.matches(payload) { elements.append((key, sortKey, [])) }
        }
        if let membership = queries[query].membership {
            elements.sort { $0.sortKey.lexicographicallyPrecedes($1.sortKey) }
            // A server that returned fewer elements than the limit has no more of them.
            if let limit = membership.limit, answered >= limit {
                queries[query].setHorizon(horizon)
                elements.removeAll { horizon.lexicographicallyPrecedes($0.sortKey) }
            }
        }
        if !isListed(elements, in: query) {
            queries.removeAllElements(of: query)
            for (index, element) in elements.enumerated() {
                queries.insert(
                    queries.keys.admit(element.key), sortKey: element.sortKey, marks: element.marks, at: index,
                    in: query
                )
            }
        }
        trim(query, at: now)
        checkLength(of: query, at: now)
        if isUnsure { markStale(query, because: .answer, at: now) }
    }

    private func isListed(
        _ elements: [(key: StoredKey, sortKey: [UInt8], marks: ElementMarks)], in query: QueryID
    ) -> Bool {
        let list = queries[query].list
        guard list.count == elements.count else { return false }
        var index = 0
        var isEqual = true
        list.forEachNode { node in
            let marks = list.marks(of: node)
            if marks.contains(.isExtra) { return }
            isEqual =
                isEqual && !marks.contains(.isMissing) && elements[index].marks.isEmpty
                && queries.keys.key(of: list.handle(of: node)) == elements[index].key
                && list.sortKey(of: node) == elements[index].sortKey
            index += 1
        }
        return isEqual
    }

    /// Removes the last elements while there are too many.
    mutating func trim(_ query: QueryID, at now: Int64) {
        let countMax = queries[query].elementCountMax(configuration.limits)
        while queries[query].list.count > countMax {
            let last = queries[query].list.node(at: countMax - 1, among: .own)
            queries.setHorizon(queries[query].list.sortKey(of: last), of: query)
            queries.remove(queries[query].list.node(at: queries[query].list.count - 1, among: .own), of: query)
        }
    }

    /// Adds entities that belong to the list and were written after the response was made.
    mutating func complete(_ query: QueryID, _ newer: NewerWrites, generation: UInt32, at now: Int64) {
        guard queries[query].membership != nil else { return }
        for write in newer.writes
        where write.key.library == queries[query].library && write.key.type == queries[query].type {
            guard let index = withIdentity(write.key, { entities.find($0) }) else { continue }
            let stamp = entities.stamp(of: index)
            if write.extent == .fields || isNewer(stamp, write.key, than: newer, generation: generation) {
                enterOnce(index, query, at: now)
            }
        }
        if newer.isPartial, let asOf = newer.asOf { search(query, after: asOf, generation: generation, at: now) }
    }

    private mutating func enterOnce(_ index: SlotIndex, _ query: QueryID, at now: Int64) {
        if let handle = queries.keys.handle(of: entities.key(of: index)), queries.holds(handle, query) { return }
        enter(index, query, at: now)
    }

    /// Scans the entities in memory for those written after a sequence. Those that only the journal has are loaded
    /// later, page by page.
    ///
    /// - Complexity: O(entities in memory). Only needed for a response older than the remembered writes.
    private mutating func search(_ query: QueryID, after asOf: EventSequence, generation: UInt32, at now: Int64) {
        let library = queries[query].library
        let type = queries[query].type
        var found: [SlotIndex] = []
        entities.forEachIndex { index in
            guard entities.library(of: index) == library, entities.type(of: index) == type else { return }
            let stamp = entities.stamp(of: index)
            if stamp.generation == generation, let sequence = stamp.sequence, sequence > asOf { found.append(index) }
        }
        for index in found { enterOnce(index, query, at: now) }
        queries.lastFill += 1
        queries[query].fill.begin(residency.hasAbsent ? queries.lastFill : nil, after: asOf, generation: generation)
    }
}

extension QueryIndex {
    /// Returns true if a key is an element of a list's own, not only an extra one of a layer.
    func holds(_ handle: ListHandle, _ query: QueryID) -> Bool {
        (0..<keys.holderCount(of: handle)).contains { place in
            let holder = keys.holder(of: handle, at: place)
            return holder.query == query && !isExtra(holder)
        }
    }
}
