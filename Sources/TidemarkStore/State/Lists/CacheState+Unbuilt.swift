import TidemarkModel

/// Lists from the journal that nobody has read yet.
///
/// Building a list's tree and its part of the reverse index takes most of the time of opening a cache with lists, and a
/// process that serves one request needs one list. So a list is built when it is read. All lists are built before
/// anything changes, because a change must find every list that has its entity.
extension CacheState {
    /// Builds one list, before it is read.
    ///
    /// - Complexity: O(n log n) for n elements, once.
    mutating func buildList(of query: QueryID) {
        guard let elements = queries.takeUnbuilt(of: query) else { return }
        let library = queries[query].library
        let type = queries[query].type
        // Building does not change the list: the journal's copy stays valid.
        let wasClean = queries[query].markDirty()
        var isContradictory = false
        for element in elements {
            let key = StoredKey(library: library, type: type, id: element.id)
            let handle = queries.keys.admit(key)
            // A data file may list a key twice, if whoever wrote it did. Only this list adds holders here, so the last
            // holder shows whether the key is already in it.
            let holderCount = queries.keys.holderCount(of: handle)
            if holderCount > 0, queries.keys.holder(of: handle, at: holderCount - 1).query == query {
                isContradictory = true
                continue
            }
            queries.insert(
                handle, sortKey: element.sortKey, at: queries[query].list.wholeCount, in: query)
            if let index = withIdentity(key, { entities.find($0) }) { entities.setTracked(index, true) }
        }
        if wasClean { queries[query].markClean() }
        guard isContradictory else { return }
        queries[query].becomeStaleSinceStored()
        queries.markDirty(query)
    }

    /// Builds all lists that are not built yet.
    mutating func buildLists() {
        guard queries.unbuiltCount > 0 else { return }
        for query in queries.all where queries[query].unbuilt != nil { buildList(of: query) }
    }
}

extension QueryIndex {
    mutating func setUnbuilt(_ elements: [QueryElement], of query: QueryID) {
        self[query].setUnbuilt(elements)
        unbuiltCount += 1
    }

    /// Removes and returns the elements of a list that is not built yet.
    ///
    /// - Returns: The elements; nil if the list is built.
    mutating func takeUnbuilt(of query: QueryID) -> [QueryElement]? {
        guard let elements = self[query].removeUnbuilt() else { return nil }
        unbuiltCount -= 1
        return elements
    }
}
