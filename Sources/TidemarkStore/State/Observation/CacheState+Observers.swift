import TidemarkModel

/// Observers of queries and entities.
extension CacheState {
    /// Begins to log the changes of a stored query.
    ///
    /// - Precondition: Its elements are in memory, or hidden: all, or what it pins of them.
    package mutating func observe(_ query: QueryID, at now: Int64) {
        buildList(of: query)
        guard queries[query].beginObserving(at: now) else { return }
        queries.pinList(of: query)
        checkReserve(of: query)
    }

    /// Notes that an observer of a query lags from now on.
    ///
    /// - Parameter isWhole: Whether it sees whole resources: then nothing needs to be logged except the state when the
    ///   lag began. For an observer of some fields, each change is compared.
    /// - Returns: The lag's number, above all earlier ones, and ``unloggedCount(of:)``.
    package mutating func beginLag(of query: QueryID, isWhole: Bool) -> (number: Int64, unloggedCount: Int) {
        queries.lastLag += 1
        queries[query].beginLag(queries.lastLag, isWhole: isWhole)
        return (queries.lastLag, queries[query].unloggedCount)
    }

    /// Notes that an observer of a query has caught up, or is about to end.
    package mutating func endLag(of query: QueryID, isWhole: Bool) {
        queries[query].endLag(isWhole: isWhole)
    }

    /// Returns the number of changes of a query that were not logged, because all its observers lagged and needed no
    /// log.
    package func unloggedCount(of query: QueryID) -> Int { queries[query].unloggedCount }

    package mutating func stopObserving(_ query: QueryID) {
        guard queries[query].endObserving() else { return }
        queries.unpinList(of: query)
        if !queries[query].isStored { queries.drop(query) }
    }

    /// Begins to log the changes of an entity, stored or not.
    ///
    /// - Returns: The entity's number in the reverse index; nil when there are too many libraries or types.
    package mutating func observe(_ key: EntityKey) -> ListHandle? {
        let type = types.ownName(of: key.type)
        guard let library = key.library.bytes.withUnsafeBytes({ libraries.admit($0) }),
            let typeIndex = type.bytes.withUnsafeBytes({ admitType($0) })
        else { return nil }
        // The library's or the type's name may be new.
        noteUnwritten()
        let stored = StoredKey(library: library, type: typeIndex, id: StoredID(key.id))
        let handle = queries.keys.admit(stored)
        queries.keys.addObserver(handle)
        if let index = withIdentity(stored, { entities.find($0) }) { entities.setTracked(index, true) }
        return handle
    }

    package mutating func stopObserving(entity handle: ListHandle) { queries.keys.removeObserver(handle) }

    /// Keeps a number in the reverse index from being reused while a lagging observer remembers it.
    package mutating func retain(_ handle: ListHandle) { queries.keys.retain(handle) }

    package mutating func release(_ handle: ListHandle) { queries.keys.release(handle) }

    /// The index in the log of the query's last change.
    package func lastChange(of query: QueryID) -> Int? { queries[query].lastChange }
}
