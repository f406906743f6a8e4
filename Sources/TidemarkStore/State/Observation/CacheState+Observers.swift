import TidemarkModel

/// Observers of queries and entities.
extension CacheState {
    /// Begins to log the changes of a stored query for one observer.
    ///
    /// - Precondition: The elements that the query pins are in memory, or hidden.
    package mutating func observe(_ query: QueryID, at now: Int64) {
        buildList(of: query)
        guard queries[query].beginObserving(at: now) else { return }
        queries.pinList(of: query)
        checkReserve(of: query)
    }

    /// Records that an observer of a query lags from now on.
    ///
    /// - Parameter isWhole: True if it sees whole resources: only the state at the beginning of the lag is then
    ///   recorded. For an observer of some fields, each change is compared.
    /// - Returns: The lag's number, above all earlier ones, and ``unloggedCount(of:)``.
    package mutating func beginLag(of query: QueryID, isWhole: Bool) -> (number: Int64, unloggedCount: Int) {
        queries.lastLag += 1
        queries[query].beginLag(queries.lastLag, isWhole: isWhole)
        return (queries.lastLag, queries[query].unloggedCount)
    }

    /// Records that a lagging observer of a query has caught up, or is about to end.
    package mutating func endLag(of query: QueryID, isWhole: Bool) {
        queries[query].endLag(isWhole: isWhole)
    }

    /// Returns how many changes of a query were not logged, because all its observers lagged and needed no log.
    package func unloggedCount(of query: QueryID) -> Int { queries[query].unloggedCount }

    /// Ends one observer of a query. A query without an answer is dropped with its last observer.
    package mutating func stopObserving(_ query: QueryID) {
        guard queries[query].endObserving() else { return }
        queries.unpinList(of: query)
        if !queries[query].isStored { queries.drop(query) }
    }

    /// Begins to log the changes of an entity, stored or not, for one observer.
    ///
    /// - Returns: The entity's handle in the reverse index; nil if there are too many libraries or types.
    package mutating func observe(_ key: EntityKey) -> ListHandle? {
        let type = types.ownName(of: key.type)
        guard let library = key.library.bytes.withUnsafeBytes({ libraries.admit($0) }),
            let typeIndex = type.bytes.withUnsafeBytes({ admitType($0) })
        else { return nil }
        // The name of the library or type may be new.
        noteUnwritten()
        let stored = StoredKey(library: library, type: typeIndex, id: StoredID(key.id))
        let handle = queries.keys.admit(stored)
        queries.keys.addObserver(handle)
        if let index = withIdentity(stored, { entities.find($0) }) { entities.setTracked(index, true) }
        return handle
    }

    /// Ends one observer of an entity.
    package mutating func stopObserving(entity handle: ListHandle) { queries.keys.removeObserver(handle) }

    /// Keeps a handle from being reused while a lagging observer remembers it. Each call needs a ``release(_:)``.
    package mutating func retain(_ handle: ListHandle) { queries.keys.retain(handle) }

    /// Ends one ``retain(_:)`` of a handle.
    package mutating func release(_ handle: ListHandle) { queries.keys.release(handle) }

    /// The index in the log of a query's last change; nil if observers were notified of it.
    package func lastChange(of query: QueryID) -> Int? { queries[query].lastChange }
}
