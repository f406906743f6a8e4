import TidemarkModel

/// Loads elements of observed lists that became pinned while only the journal had their entities. Law: L9.
///
/// After the elements that its observers see, an observed list keeps as many again in memory, to replace removed ones.
/// An element that enters this reserve is loaded, and no observer waits for it. Only if one unit removes more elements
/// than the reserve has, the list's observers are held back until the entities that they see are loaded.
extension CacheState {
    /// True if some pinned element must be loaded.
    package var isAwaiting: Bool { !queries.awaiting.isEmpty }

    /// Checks which of the elements that became pinned are in memory.
    ///
    /// - Complexity: O(elements that were not in memory).
    mutating func checkReserve(of query: QueryID) {
        guard !queries[query].awaited.isEmpty || queries.awaiting.contains(query) else { return }
        let there = queries[query].awaited.filter { isInMemory(queries[query].list.handle(of: $0)) }
        queries[query].endAwaiting(there)
        if queries[query].awaited.isEmpty {
            queries.awaiting.remove(query)
        } else {
            queries.awaiting.insert(query)
        }
    }

    func isInMemory(_ handle: ListHandle) -> Bool { withPayload(of: handle) { _ in } != nil }

    /// Returns true if observers of a list see an entity that must be loaded before they can be notified.
    ///
    /// - Complexity: O(pinned elements that are not in memory · log n).
    package func isHeldBack(_ query: QueryID) -> Bool {
        queries[query].awaited.contains { node in
            queries[query].list.index(of: node, among: .shown) < queries[query].shownCountMax
                && !isInMemory(queries[query].list.handle(of: node))
        }
    }

    /// Returns true if a list's steps must be held back: an entity may be shown and hidden again in one unit.
    func isHeldBack(_ query: QueryID, by steps: [HandleStep]) -> Bool {
        guard !queries[query].awaited.isEmpty else { return false }
        if isHeldBack(query) { return true }
        return steps.contains { if case .add(let handle, _) = $0 { !isInMemory(handle) } else { false } }
    }

    /// Returns the entities of pinned elements that only the journal may have, each once.
    package func keysToLoadForReserves() -> [StoredKey] {
        guard residency.hasAbsent else { return [] }
        var seen: Set<StoredKey> = []
        var keys: [StoredKey] = []
        for query in queries.awaiting.sorted() {
            for node in queries[query].awaited.sorted() {
                let key = queries.keys.key(of: queries[query].list.handle(of: node))
                if !isKnown(key), seen.insert(key).inserted { keys.append(key) }
            }
        }
        return keys
    }

    /// Continues lists after their reserves were loaded. An element whose entity is in neither tier is removed from its
    /// list, and the next one enters the reserve.
    ///
    /// - Precondition: The ``keysToLoadForReserves()`` were loaded in the same step.
    package mutating func resumeReserves(at now: Int64) {
        let waiting = queries.awaiting.sorted()
        for query in waiting { checkReserve(of: query) }
        let lost = waiting.map { query in (query: query, nodes: queries[query].awaited.sorted()) }
        guard lost.contains(where: { !$0.nodes.isEmpty }) else { return }
        beginUnit(isMulti: true)
        for (query, nodes) in lost {
            for node in nodes { forget(node, of: query, at: now) }
        }
        endUnit(at: now)
    }
}
