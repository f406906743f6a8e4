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
    ///
    /// - Parameter place: Where in the log that happened: an answer from before it is stale, too.
    mutating func markAllStale(in library: LibraryIndex, _ place: MeanwhileLog.Place, at now: Int64) {
        let name = libraries.name(of: library)
        noteStaling(Selection(library: name), in: library, because: .log, place, at: now)
        guard queries.storedCount > 0 else { return }
        markStale(queries.all.filter { queries[$0].library == library }, because: .log, at: now)
    }

    /// Remembers that lists became stale, for answers that are on their way or that are older.
    ///
    /// - Parameter library: The library; nil: every library but `other`.
    private mutating func noteStaling(
        _ selection: Selection, in library: LibraryIndex?, except other: ByteString? = nil, because cause: StaleCause,
        _ place: MeanwhileLog.Place, at now: Int64
    ) {
        if let library, let sequence = place.sequence {
            libraries[library].staleThrough.note(sequence)
            libraries[library].isChanged = true
            isUnwritten = true
        }
        let forgotten = meanwhile.noteStaling(
            selection, in: library.map { libraries.name(of: $0) }, except: other, because: cause, place, at: now)
        guard let forgotten, let name = forgotten.library, let library = libraries.index(of: name) else { return }
        if let sequence = forgotten.place.sequence { libraries[library].staleThrough.forget(sequence) }
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
        if let library = libraries.index(of: name) { return invalidate(by: view, in: library, at: now) }
        // Its first answer may be on its way.
        var selection = Selection(library: name)
        if view.event.kind == .bulk {
            selection.resourceType = ByteString(Array(view.bytes[view.event.type]))
            selection.hints = view.text(view.event.detail).map { Array($0) }
        }
        _ = meanwhile.noteStaling(selection, in: name, because: .event, .after(nil), at: now)
    }

    /// Marks the queries stale that a bulk operation, a refresh or an index operation concerns.
    ///
    /// - Parameter library: The library that it names; nil: every library.
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
            // Its number is one of its own log: to other libraries it says nothing.
            if library == nil {
                let own = event.sequence.map { _ in view.string(event.library) ?? configuration.defaultLibrary }
                noteStaling(selection, in: nil, except: own, because: .event, .after(nil), at: now)
                if let own = own.flatMap({ libraries.index(of: $0) }), let sequence = event.sequence {
                    noteStaling(selection, in: own, because: .event, .event(sequence), at: now)
                }
                markStale(queries.all, because: .event, at: now)
                return
            }
        default:
            // No input reaches it: its callers switch over the kind.
            preconditionFailure("\(event.kind) invalidates nothing")
        }
        guard let library else { return }
        let place = event.sequence.map { MeanwhileLog.Place.event($0) } ?? .after(cursor(of: library))
        noteStaling(selection, in: library, because: .event, place, at: now)
        markStale(stored(selection, in: library), because: .event, at: now)
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

    /// Marks the selected queries stale.
    ///
    /// - Returns: The number of queries that became stale by this call.
    package mutating func invalidate(_ selection: Selection, at now: Int64) -> Int {
        guard let library = libraries.index(of: selection.library) else {
            // Its first answer may be on its way.
            _ = meanwhile.noteStaling(selection, in: selection.library, because: .request, .after(nil), at: now)
            return 0
        }
        noteStaling(selection, in: library, because: .request, .after(cursor(of: library)), at: now)
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
