import TidemarkModel

/// Marks queries as stale. Entities do not change.
extension CacheState {
    /// Marks a query as stale.
    ///
    /// - Returns: True if the query was fresh.
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

    /// Marks every query of a library as stale, in a unit of its own unless one is open.
    ///
    /// - Parameter sequence: The sequence of the event that caused it; nil if no event did.
    mutating func markAllStale(in library: LibraryIndex, _ sequence: EventSequence?, at now: Int64) {
        let name = libraries.name(of: library)
        noteStaling(Selection(library: name), in: library, because: .log, sequence, at: now)
        guard queries.storedCount > 0 else { return }
        markStale(queries.all.filter { queries[$0].library == library }, because: .log, at: now)
    }

    /// Remembers that lists became stale, for responses that are on their way or that are older.
    ///
    /// - Parameters:
    ///   - library: The library; nil for every library except `other`.
    ///   - sequence: The sequence of the event that caused it; nil if no event did.
    private mutating func noteStaling(
        _ selection: Selection, in library: LibraryIndex?, except other: ByteString? = nil, because cause: StaleCause,
        _ sequence: EventSequence?, at now: Int64
    ) {
        if let library, let sequence {
            libraries[library].staleThrough.note(sequence)
            libraries[library].isChanged = true
            isUnwritten = true
        }
        let forgotten = meanwhile.noteStaling(
            selection, in: library.map { libraries.name(of: $0) }, except: other, because: cause, sequence, at: now)
        guard let forgotten, let name = forgotten.library, let library = libraries.index(of: name) else { return }
        if let sequence = forgotten.sequence { libraries[library].staleThrough.forget(sequence) }
    }

    @discardableResult
    private mutating func markStale(_ stale: [QueryID], because cause: StaleCause, at now: Int64) -> Int {
        // An event that changes nothing else may already have opened a unit.
        let isOwnUnit = !queries.recorder.isOpen
        if isOwnUnit { beginUnit(isMulti: true) }
        // A GraphQL root field has a query for each type that it refers to, and counts once.
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
        if let library = libraries.index(of: name) { return invalidate(by: view, in: library, at: now) }
        // The library's first response may be on its way.
        var selection = Selection(library: name)
        if view.event.kind == .bulk {
            selection.resourceType = ByteString(Array(view.bytes[view.event.type]))
            selection.hints = view.text(view.event.detail).map { Array($0) }
        }
        _ = meanwhile.noteStaling(selection, in: name, because: .event, nil, at: now)
    }

    /// Marks the queries as stale that a bulk operation, a refresh or an index operation concerns.
    ///
    /// - Parameter library: The library that the event names; nil for every library.
    mutating func invalidate(by view: EventView, in library: LibraryIndex?, at now: Int64) {
        let event = view.event
        let name = library.map { libraries.name(of: $0) } ?? configuration.defaultLibrary
        var selection = Selection(library: name)
        switch event.kind {
        case .bulk, .batchChanged:
            guard library != nil, let type = admitType(view.bytes[event.type]) else { return }
            selection.resourceType = types.name(of: type)
            if event.kind == .bulk { selection.hints = view.text(event.detail).map { Array($0) } }
        case .refresh:
            // The event's sequence belongs to its own log and has no meaning in other libraries.
            if library == nil {
                let own = event.sequence.map { _ in view.string(event.library) ?? configuration.defaultLibrary }
                noteStaling(selection, in: nil, except: own, because: .event, nil, at: now)
                if let own = own.flatMap({ libraries.index(of: $0) }), let sequence = event.sequence {
                    noteStaling(selection, in: own, because: .event, sequence, at: now)
                }
                markStale(queries.all, because: .event, at: now)
                return
            }
        default:
            // No input reaches it: its callers switch over the kind.
            preconditionFailure("\(event.kind) invalidates nothing")
        }
        guard let library else { return }
        noteStaling(selection, in: library, because: .event, event.sequence, at: now)
        markStale(stored(selection, in: library), because: .event, at: now)
    }

    /// Selects queries of one library that become stale. Every given part must match.
    package struct Selection {
        /// The library's name.
        package var library: ByteString
        /// The method of the query; nil for any.
        package var method: ByteString?
        /// The query's canonical input; nil for any.
        package var input: ByteString?
        /// The resource type of the list's elements; nil for any.
        package var resourceType: ByteString?
        /// The tags as compact JSON: an array of strings or an object; nil for any.
        package var tags: [UInt8]?
        /// The hints as compact JSON: an object; nil for any.
        package var hints: [UInt8]?

        /// Creates a selection from the parts that must match.
        package init(
            library: ByteString, method: ByteString? = nil, input: ByteString? = nil, resourceType: ByteString? = nil,
            tags: [UInt8]? = nil, hints: [UInt8]? = nil
        ) {
            self.library = library
            self.method = method
            self.input = input
            self.resourceType = resourceType
            self.tags = tags
            self.hints = hints
        }
    }

    /// Marks the selected queries as stale.
    ///
    /// - Returns: How many queries became stale by this call.
    package mutating func invalidate(_ selection: Selection, at now: Int64) -> Int {
        guard let library = libraries.index(of: selection.library) else {
            // The library's first response may be on its way.
            _ = meanwhile.noteStaling(selection, in: selection.library, because: .request, nil, at: now)
            return 0
        }
        noteStaling(selection, in: library, because: .request, nil, at: now)
        return markStale(stored(selection, in: library), because: .request, at: now)
    }

    /// Returns the stored queries that a selection matches.
    private func stored(_ selection: Selection, in library: LibraryIndex) -> [QueryID] {
        guard queries.storedCount > 0 else { return [] }
        let found: [QueryID]
        if let type = selection.resourceType {
            guard let index = types.index(of: type) else { return [] }
            found = queries.stored(library: library, type: index)
        } else if let method = selection.method, let input = selection.input {
            let key = QueryKey(library: selection.library, method: method, canonicalInput: input)
            found = queries.find(key).map { [$0] } ?? []
        } else {
            found = queries.all.filter { queries[$0].library == library }
        }
        let matcher = SelectionMatcher(selection, types)
        return found.filter { matcher.concerns(queries[$0]) }
    }

    /// Returns when an observed query expires, in milliseconds since 1970; nil if it never does, or its observers
    /// already know.
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
