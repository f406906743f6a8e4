import TidemarkModel

/// What left the cache to make room: keys that a limit chose, which nobody could find out from the events alone.
package struct Leavings: Sendable {
    /// They left both tiers, in order.
    package var evicted: [StoredKey] = []
    /// Only fields that stay are left of them, in order.
    package var reduced: [StoredKey] = []
    /// Queries that made room for others, in order.
    package var queries: [QueryKey] = []

    package init() {}

    package var isEmpty: Bool { evicted.isEmpty && reduced.isEmpty && queries.isEmpty }
}

/// For who records what a cache does, and for who does the same again.
extension CacheState {
    /// From here on ``takeLeavings()`` tells.
    package mutating func watchLeavings() {
        leavings = Leavings()
        queries.displaced = []
    }

    /// What left since the last call; empty while nobody watches.
    package mutating func takeLeavings() -> Leavings {
        guard leavings?.isEmpty == false || queries.displaced?.isEmpty == false else { return Leavings() }
        var taken = leavings ?? Leavings()
        taken.queries = queries.displaced ?? []
        watchLeavings()
        return taken
    }

    /// Makes the same go that went once.
    ///
    /// - Precondition: The entities are in memory, or nowhere.
    package mutating func leave(_ gone: Leavings, at now: Int64) {
        beginUnit(isMulti: true)
        for key in gone.evicted + gone.reduced {
            guard let index = withIdentity(key, { entities.find($0) }) else { continue }
            _ = leave(index, at: now)
        }
        for key in gone.queries {
            guard let query = queries.find(key), queries[query].observerCount == 0 else { continue }
            queries.displaced?.append(key)
            queries.drop(query)
            isUnwritten = true
        }
        endUnit(at: now)
    }

    /// Keys as the state numbers them; those of libraries or types that it does not know are left out.
    package func storedKeys(of keys: [EntityKey]) -> [StoredKey] { keys.compactMap { storedKey(of: $0) } }

    /// Whether a stored query's list holds an entity, shown or not. nil when there is no such query.
    ///
    /// - Complexity: O(1), and O(lists that hold the entity).
    package func holds(_ key: EntityKey, in query: QueryKey) -> Bool? {
        guard let index = queries.find(query), queries[index].isStored else { return nil }
        guard let stored = storedKey(of: key), let handle = queries.keys.handle(of: stored) else { return false }
        return queries.holds(handle, index)
    }
}

extension CacheState {
    /// - Returns: nil when nothing is known of the library.
    package func libraryIndex(of name: ByteString) -> LibraryIndex? { libraryNames.existingIndex(of: name) }

    /// Whether all there is to know would be with the journal after a flush: nothing is missing, held, or on its way.
    package var isQuiet: Bool { !isWatching && fetchCount == 0 && !libraries.contains { $0.machine.isActive } }

    /// How often each library's upstream was asked so far; those that never were are left out.
    package var reconcileAttempts: [ByteString: UInt64] {
        var attempts: [ByteString: UInt64] = [:]
        for (index, name) in libraryNames.names.enumerated() where libraries[index].machine.attempt > 0 {
            attempts[name] = libraries[index].machine.attempt
        }
        return attempts
    }

    /// Goes on counting questions where an earlier life of the cache stopped, so that recorded answers are taken for theirs.
    ///
    /// - Precondition: Nobody is being asked.
    package mutating func goOn(fromAttempts attempts: [ByteString: UInt64]) {
        for (name, attempt) in attempts {
            if let index = libraryNames.existingIndex(of: name) { libraries[Int(index)].machine.goOn(from: attempt) }
        }
    }
}
