import TidemarkModel

/// Staleness: marks queries and does not change entities.
extension CacheState {
    /// Marks a query stale.
    ///
    /// - Returns: Whether the query was fresh.
    @discardableResult
    mutating func markStale(_ query: QueryID, because cause: StaleCause, at now: Int64) -> Bool {
        // A query evaluated over the store is always as current as the store.
        guard queries[query].isStored, !queries[query].isLocal, queries[query].staleSince == nil else { return false }
        queries.beginChange(of: query)
        queries[query].becomeStale(because: cause, at: now)
        queries.markDirty(query)
        isUnwritten = true
        return true
    }

    /// Marks every query of a library stale, in a unit of its own.
    mutating func markAllStale(in library: LibraryIndex, at now: Int64) {
        guard queries.storedCount > 0 else { return }
        markStale(queries.all.filter { queries[$0].library == library }, because: .log, at: now)
    }

    @discardableResult
    private mutating func markStale(_ stale: [QueryID], because cause: StaleCause, at now: Int64) -> Int {
        // Events of a log may lead here from within an event that changes nothing else.
        let isOwnUnit = !queries.recorder.isOpen
        if isOwnUnit { beginUnit(isMulti: true) }
        // A root field of GraphQL has a query for each type that it refers to, and counts once.
        var roots: Set<QueryKey> = []
        var count = 0
        for query in stale where markStale(query, because: cause, at: now) {
            let key = queries[query].key
            guard let colon = key.method.bytes.firstIndex(of: UInt8(ascii: ":")),
                key.method.bytes.starts(with: "Query.".utf8)
            else {
                if roots.insert(key).inserted { count += 1 }
                continue
            }
            let root = QueryKey(
                library: key.library, method: ByteString(key.method.bytes[..<colon]), canonicalInput: key.input)
            if roots.insert(root).inserted { count += 1 }
        }
        if isOwnUnit { endUnit(at: now) }
        return count
    }

    /// Applies a bulk operation or refresh that is outside of its library's log.
    mutating func invalidate(by view: EventView, at now: Int64) {
        guard view.event.kind == .bulk || !view.event.library.isAbsent else {
            return invalidate(by: view, in: nil, at: now)
        }
        let name = view.string(view.event.library) ?? configuration.defaultLibrary
        if let library = libraries.index(of: name) { invalidate(by: view, in: library, at: now) }
    }

    /// Marks the queries stale that a bulk operation, a refresh or an index operation concerns.
    mutating func invalidate(by view: EventView, in library: LibraryIndex?, at now: Int64) {
        guard queries.storedCount > 0 else { return }
        let event = view.event
        switch event.kind {
        case .bulk, .batchChanged:
            guard let library, let type = admitType(view.bytes[event.type]) else { return }
            let hints = event.kind == .bulk ? view.text(event.detail).map { Hints($0) } : nil
            let stale = queries.stored(library: library, type: type).filter { query in
                hints.map { $0.concern(queries[query]) } ?? true
            }
            markStale(stale, because: .event, at: now)
        case .refresh:
            markStale(
                queries.all.filter { library == nil || queries[$0].library == library }, because: .event, at: now)
        default:
            // No input reaches it: its callers switch over the kind.
            preconditionFailure("\(event.kind) invalidates nothing")
        }
    }

    /// A selection of queries of a library to mark stale; every part that is given must match.
    package struct Selection {
        package var library: ByteString
        package var method: ByteString?
        /// The query's input, canonical.
        package var input: ByteString?
        package var resourceType: ByteString?
        /// The tags, as compact JSON.
        package var tags: [UInt8]?
        /// The hints, as compact JSON: an object.
        package var hints: [UInt8]?

        package init(
            library: ByteString, method: ByteString?, input: ByteString?, resourceType: ByteString?, tags: [UInt8]?,
            hints: [UInt8]?
        ) {
            self.library = library
            self.method = method
            self.input = input
            self.resourceType = resourceType
            self.tags = tags
            self.hints = hints
        }
    }

    /// Marks the selected queries stale.
    ///
    /// - Returns: The number of queries that became stale by this call.
    package mutating func invalidate(_ selection: Selection, at now: Int64) -> Int {
        guard let library = libraries.index(of: selection.library) else { return 0 }
        let found: [QueryID]
        if let type = selection.resourceType {
            guard let index = types.index(of: type) else { return 0 }
            found = queries.stored(library: library, type: index)
        } else if let method = selection.method, let input = selection.input {
            let key = QueryKey(library: selection.library, method: method, canonicalInput: input)
            found = queries.find(key).map { [$0] } ?? []
        } else {
            found = queries.all.filter { queries[$0].library == library }
        }
        let hints = selection.hints.map { hints in hints.withUnsafeBytes { Hints($0) } }
        let tags = selection.tags.map { tags in tags.withUnsafeBytes { TagSelection($0) } }
        return markStale(
            found.filter { query in
                let entry = queries[query]
                return selection.method ?? entry.key.method == entry.key.method
                    && selection.input ?? entry.key.input == entry.key.input
                    && tags.map { $0.matches(entry.tags) } ?? true && hints.map { $0.concern(entry) } ?? true
            }, because: .request, at: now)
    }

    /// Returns when an observed query expires, if its observers were not notified of that yet, in milliseconds since
    /// 1970; nil when it never does.
    package func expiry(of query: QueryID) -> Int64? {
        guard queries[query].isStored, !queries[query].shownStale, let timeToLive = queries[query].timeToLive
        else { return nil }
        return queries[query].storedAt.addingClamped(timeToLive)
    }

    /// Logs the expiry of those observed queries whose time to live is over.
    package mutating func expire(_ observed: [QueryID], at now: Int64) {
        beginUnit(isMulti: true)
        for query in observed {
            guard let end = expiry(of: query), end <= now else { continue }
            queries.beginChange(of: query)
        }
        endUnit(at: now)
    }
}
