import TidemarkModel

/// When a query was last fetched, how long it took, and whether it succeeded.
package struct FetchTime: Hashable, Sendable {
    /// When the fetch ended, in milliseconds since 1970.
    package var at: Int64
    /// How long it took from the request to the response or the failure, in milliseconds.
    package var took: Int64
    /// Why there was no response; nil if there was one.
    package var failure: String?

    /// Creates the record of a fetch.
    package init(at: Int64, took: Int64, failure: String?) {
        self.at = at
        self.took = took
        self.failure = failure
    }
}

/// A query as it is listed: everything except its elements.
package struct QueryListing: Sendable {
    /// The query's number, never reused.
    package var number: Int64
    /// The query's library, method and input.
    package var key: QueryKey
    /// The resource type of the elements; nil before the first answer.
    package var type: ByteString?
    /// How many elements readers see.
    package var elementCount: Int
    /// True if the query is evaluated over the store.
    package var isLocal: Bool
    /// The membership rule as compact JSON; nil if there is none.
    package var membership: [UInt8]?
    /// The tags as compact JSON; nil if there are none.
    package var tags: [UInt8]?
    /// The position in the log of the last response; nil if unknown.
    package var asOf: EventSequence?
    /// When the last answer was stored, in milliseconds since 1970; nil before the first.
    package var storedAt: Int64?
    /// How long an answer stays fresh, in milliseconds; nil if it never expires.
    package var timeToLive: Int64?
    /// When the query became stale, in milliseconds since 1970; nil while it is fresh, or if unknown.
    package var staleSince: Int64?
    /// Why the query is stale; nil while it is fresh.
    package var staleCause: StaleCause?
    /// True if layers change something that is shown.
    package var isPending: Bool
    /// How many observers the query has.
    package var observerCount: Int
    /// How many reads were answered with the list since the cache was opened.
    package var hitCount: Int64
    /// The last fetch since the cache was opened; nil before the first.
    package var fetch: FetchTime?

    /// How many bytes the listing's texts count toward the bound on a page.
    var byteCount: Int {
        256 + key.method.bytes.count + key.input.bytes.count + (membership?.count ?? 0) + (tags?.count ?? 0)
    }
}

extension CacheState {
    /// The bytes of texts after which a page of queries ends: 4 MiB.
    private static let listingByteCountMax = 4 << 20

    /// Returns queries by number: those with an answer, and those that are observed and wait for one.
    ///
    /// - Parameters:
    ///   - library: The only library; nil for every library.
    ///   - type: The only type of elements; nil for every type.
    ///   - number: The page begins after the query with this number, which need not exist.
    ///   - countMax: The most queries to return.
    ///   - now: The time, in milliseconds since 1970.
    /// - Returns: The queries, and the number after which the next page begins; nil at the end.
    /// - Complexity: O(queries).
    package func queryListings(
        library: ByteString?, type: ByteString?, after number: Int64, countMax: Int, at now: Int64
    ) -> (queries: [QueryListing], next: Int64?) {
        let wanted = type.map { name in types.index(of: name) }
        var listings: [QueryListing] = []
        var byteCount = 0
        for query in queries.all(after: number) {
            let entry = queries[query]
            guard entry.isStored || entry.observerCount > 0, library == nil || library == entry.key.library else {
                continue
            }
            if let wanted { guard entry.isStored, wanted == entry.type else { continue } }
            if listings.count == countMax || byteCount > CacheState.listingByteCountMax {
                return (listings, listings.last?.number)
            }
            let listing = listing(of: entry, at: now)
            byteCount += listing.byteCount
            listings.append(listing)
        }
        return (listings, nil)
    }

    private func listing(of entry: QueryEntry, at now: Int64) -> QueryListing {
        QueryListing(
            number: entry.number, key: entry.key, type: entry.isStored ? types.name(of: entry.type) : nil,
            elementCount: min(entry.unbuilt?.count ?? entry.list.shownCount, entry.shownCountMax),
            isLocal: entry.isLocal, membership: entry.membershipText.isEmpty ? nil : entry.membershipText,
            tags: entry.tags.isEmpty ? nil : entry.tags, asOf: entry.asOf,
            storedAt: entry.isStored ? entry.storedAt : nil, timeToLive: entry.timeToLive,
            staleSince: entry.isStored ? entry.staleSince(at: now) : nil, staleCause: staleCause(of: entry, at: now),
            isPending: entry.isPending, observerCount: entry.observerCount, hitCount: entry.hitCount)
    }

    private func staleCause(of entry: QueryEntry, at now: Int64) -> StaleCause? {
        guard entry.isStored else { return .unanswered }
        if entry.staleSince != nil { return entry.staleCause ?? .earlier }
        if entry.staleSince(at: now) != nil { return .expired }
        return entry.isStale(at: now) ? .missing : nil
    }

    /// Counts a read that was answered with a query's list.
    package mutating func noteHit(_ query: QueryID) { queries[query].noteHit() }
}

extension QueryIndex {
    /// Returns every query in use with a higher number, by number.
    ///
    /// - Complexity: O(queries + n log n) for n queries.
    func all(after number: Int64) -> [QueryID] {
        entries.indices.map { QueryID($0) }
            .filter { entries[Int($0)].number > number && find(entries[Int($0)].key) == $0 }
            .sorted { entries[Int($0)].number < entries[Int($1)].number }
    }
}

/// Names and counts for listings.
extension CacheState {
    /// Returns the names of a library and a type by their indexes; nil for indexes that only a damaged file has.
    package func names(_ library: LibraryIndex, _ type: TypeIndex) -> (library: ByteString, type: ByteString)? {
        guard libraries.indexes.contains(library), types.indexes.contains(type) else { return nil }
        return (libraries.name(of: library), types.name(of: type))
    }

    /// Counts the entities of types that the journal never stores, by library and type.
    ///
    /// - Complexity: O(entities in memory) if there are such types, otherwise O(types).
    package func unstoredCounts() -> [(LibraryIndex, TypeIndex, Int64)] {
        guard types.indexes.contains(where: { isUnstored($0) }) else { return [] }
        var counts: [LibraryIndex: [TypeIndex: Int64]] = [:]
        entities.forEachIndex { index in
            let type = entities.type(of: index)
            if isUnstored(type) { counts[entities.library(of: index), default: [:]][type, default: 0] += 1 }
        }
        return counts.flatMap { library, byType in byType.map { (library, $0.key, $0.value) } }
    }
}
