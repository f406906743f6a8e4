import TidemarkModel

/// The keys and queries that limits evicted. They cannot be derived from the events alone.
package struct EvictionLog: Sendable {
    /// The keys evicted from both tiers, in order.
    package var evicted: [StoredKey] = []
    /// The keys of entities that were reduced to the fields that stay, in order.
    package var reduced: [StoredKey] = []
    /// The queries evicted to make room for others, in order.
    package var queries: [QueryKey] = []

    /// Creates an empty log.
    package init() {}

    /// True if nothing was evicted.
    package var isEmpty: Bool { evicted.isEmpty && reduced.isEmpty && queries.isEmpty }
}

/// Eviction logs, for the recorder of a cache and for replay.
extension CacheState {
    /// Begins to log evictions for ``drainEvictionLog()``.
    package mutating func beginEvictionLog() {
        evictionLog = EvictionLog()
        queries.displaced = []
    }

    /// Removes and returns the evictions since the last call; empty while they are not logged.
    package mutating func drainEvictionLog() -> EvictionLog {
        guard evictionLog?.isEmpty == false || queries.displaced?.isEmpty == false else { return EvictionLog() }
        var taken = evictionLog ?? EvictionLog()
        taken.queries = queries.displaced ?? []
        beginEvictionLog()
        return taken
    }

    /// Repeats logged evictions, as a replay does.
    ///
    /// - Precondition: The entities are in memory, or in neither tier.
    package mutating func repeatEvictions(_ gone: EvictionLog, at now: Int64) {
        beginUnit(isMulti: true)
        for key in gone.evicted + gone.reduced {
            guard let index = withIdentity(key, { entities.find($0) }) else { continue }
            _ = evictOrReduce(index, at: now)
        }
        for key in gone.queries {
            guard let query = queries.find(key), queries[query].observerCount == 0 else { continue }
            queries.displaced?.append(key)
            queries.drop(query)
            isUnwritten = true
        }
        endUnit(at: now)
    }

    /// Converts keys to stored keys. Those of unknown libraries or types are left out.
    package func storedKeys(of keys: [EntityKey]) -> [StoredKey] { keys.compactMap { storedKey(of: $0) } }

    /// Returns true if a stored query's list has an entity, shown or not; nil if there is no such query.
    ///
    /// - Complexity: O(1), plus O(lists that have the entity).
    package func holds(_ key: EntityKey, in query: QueryKey) -> Bool? {
        guard let index = queries.find(query), queries[index].isStored else { return nil }
        guard let stored = storedKey(of: key), let handle = queries.keys.handle(of: stored) else { return false }
        return queries.holds(handle, index)
    }
}

extension CacheState {
    /// Returns the index of a library by its name; nil if nothing is known of the library.
    package func libraryIndex(of name: ByteString) -> LibraryIndex? { libraries.index(of: name) }

    /// True if nothing is missing, held or on its way, so that a flush would write the complete state.
    package var isQuiet: Bool {
        !isWatching && fetchCount == 0 && !libraries.indexes.contains { libraries[$0].machine.isActive }
    }

    /// How many requests were made to each library's upstream; libraries without any are left out.
    package var reconcileAttempts: [ByteString: UInt64] {
        var attempts: [ByteString: UInt64] = [:]
        for library in libraries.indexes where libraries[library].machine.attempt > 0 {
            attempts[libraries.name(of: library)] = libraries[library].machine.attempt
        }
        return attempts
    }

    /// Continues the attempt numbers of an earlier run of the cache, so that recorded responses match their requests.
    ///
    /// - Precondition: No request is under way.
    package mutating func resume(fromAttempts attempts: [ByteString: UInt64]) {
        for (name, attempt) in attempts {
            if let index = libraries.index(of: name) { libraries[index].machine.resume(fromAttempt: attempt) }
        }
    }
}
