// Stage 6 of 7: changed entities → affected queries, in order. Before: EntityStore. After: observers, the journal.
// Laws: L3, L8, L10, L11.

import TidemarkModel

/// All queries with their ordered lists, and the reverse index from entities to lists.
///
/// The index handles keys and orders; `CacheState` supplies the contents of entities. At `queryCountMax` the least
/// recently read query without an observer is evicted.
struct QueryIndex: ~Copyable {
    static let none = QueryID.none

    private let place = StablePlace()
    let limits: Limits
    /// The most bytes that kept lists may take; see ``KeptList``.
    let keptListByteCountMax: Int
    /// The entries by query number in memory; those in `free` are not in use.
    private(set) var entries: [QueryEntry] = []
    private var free: [QueryID] = []
    private var byKey: [QueryKey: QueryID] = [:]
    var keys = ListedKeys()
    /// The rules of stored queries, by library and type.
    private var candidates: [TypePlace: MembershipCandidates] = [:]
    /// The first stored query of each library and type; ``QueryEntry/typeOrder`` links the others.
    private var firstOfType: [TypePlace: QueryID] = [:]
    private var mostRecent = QueryIndex.none
    private var leastRecent = QueryIndex.none
    private(set) var lastNumber: Int64
    private(set) var storedCount = 0
    /// How many stored queries have a rule and a list from a server.
    private(set) var remoteRuleCount = 0
    private(set) var ruleCount = 0
    /// How many list scans were started.
    var lastFill: Int64 = 0
    /// The queries that changed since the last flush, each once. The number of queries bounds it.
    var dirty: [QueryID] = []
    var removedNumbers: [Int64] = []
    /// The current unit, and the log for observers.
    var recorder = ChangeRecorder()
    /// The number of the newest lag of any query.
    var lastLag: Int64 = 0
    /// The queries evicted to make room since the last ``CacheState/drainEvictionLog()``; nil while evictions are not
    /// logged.
    var displaced: [QueryKey]?
    /// How many lists are not built yet.
    var unbuiltCount = 0
    /// The queries with a kept list, oldest first. ``keptListCountMax`` bounds it.
    var keptLists: [QueryID] = []
    var keptListByteCount = 0
    /// The observed queries with pinned elements whose entities are not in memory yet.
    var awaiting: Set<QueryID> = []

    struct TypePlace: Hashable {
        var library: LibraryIndex
        var type: TypeIndex
    }

    init(limits: Limits, keptListByteCountMax: Int, lastNumber: Int64) {
        self.limits = limits
        self.keptListByteCountMax = keptListByteCountMax
        self.lastNumber = lastNumber
    }

    /// True if there is no query or key that an event could concern.
    var isEmpty: Bool { byKey.isEmpty && keys.isEmpty }

    subscript(query: QueryID) -> QueryEntry {
        _read { yield entries[Int(query)] }
        _modify { yield &entries[Int(query)] }
    }

    // MARK: Lookup

    func find(_ key: QueryKey) -> QueryID? { byKey[key] }

    /// All queries in use, by number.
    var all: [QueryID] { byKey.values.sorted { self[$0].number < self[$1].number } }

    /// Returns the stored queries of one library and type, by number.
    ///
    /// - Complexity: O(n log n) for n queries.
    func stored(library: LibraryIndex, type: TypeIndex) -> [QueryID] {
        var found: [QueryID] = []
        var at = firstOfType[TypePlace(library: library, type: type)] ?? QueryIndex.none
        while at != QueryIndex.none {
            found.append(at)
            at = self[at].typeOrder.next
        }
        return found.sorted { self[$0].number < self[$1].number }
    }

    /// Returns the queries whose rule a resource may fulfil, ascending by their number in memory.
    func candidates(library: LibraryIndex, type: TypeIndex, resource: UnsafeRawBufferPointer) -> [QueryID] {
        guard ruleCount > 0 else { return [] }
        return candidates[TypePlace(library: library, type: type)]?.candidates(for: resource) ?? []
    }

    // MARK: Opening and closing

    /// Returns the query of a key; opens a new one without a list or an answer if there is none.
    ///
    /// - Returns: The query; nil if there are `queryCountMax`, all of them observed.
    mutating func open(_ key: QueryKey, library: LibraryIndex) -> QueryID? {
        if let query = byKey[key] { return query }
        if byKey.count >= limits.queryCountMax, !evictLeastRecent() { return nil }
        lastNumber += 1
        return add(QueryEntry(key: key, library: library, number: lastNumber))
    }

    mutating func add(_ entry: QueryEntry) -> QueryID {
        let query: QueryID
        if let last = free.popLast() {
            query = last
            self[query] = entry
        } else {
            query = QueryID(entries.count)
            entries.append(entry)
        }
        byKey[entry.key] = query
        attach(query)
        return query
    }

    private mutating func evictLeastRecent() -> Bool {
        var at = leastRecent
        while at != QueryIndex.none, self[at].observerCount > 0 { at = self[at].readOrder.previous }
        guard at != QueryIndex.none else { return false }
        let key = self[at].key
        displaced?.append(key)
        drop(at)
        return true
    }

    /// Removes a query that has no observer, with its list.
    mutating func drop(_ query: QueryID) {
        // No input reaches it: every caller checks for observers before it drops a query.
        precondition(self[query].observerCount == 0, "query \(self[query].number) is observed")
        unstore(query)
        dropKept(of: query)
        detach(query)
        byKey.removeValue(forKey: self[query].key)
        free.append(query)
    }

    /// Removes a query's answer and list. Its observers wait for the next answer.
    mutating func unstore(_ query: QueryID) {
        removeAllElements(of: query)
        guard self[query].isStored else { return }
        unfile(query)
        self[query].becomeUnstored()
        storedCount -= 1
        voidRow(of: query)
    }

    /// Files a stored query under its type and rule.
    mutating func file(_ query: QueryID) {
        let place = TypePlace(library: self[query].library, type: self[query].type)
        let first = firstOfType[place] ?? QueryIndex.none
        self[query].typeOrder = QueryLinks(next: first)
        if first != QueryIndex.none { self[first].typeOrder.previous = query }
        firstOfType[place] = query
        if let membership = self[query].membership {
            candidates[place, default: MembershipCandidates()].insert(query, membership)
            ruleCount += 1
            if !self[query].isLocal { remoteRuleCount += 1 }
        }
        if !self[query].isStored {
            self[query].becomeStored()
            storedCount += 1
        }
    }

    /// Unfiles a query from its type and rule, before one of these changes.
    mutating func unfile(_ query: QueryID) {
        let place = TypePlace(library: self[query].library, type: self[query].type)
        let previous = self[query].typeOrder.previous
        let next = self[query].typeOrder.next
        if previous != QueryIndex.none { self[previous].typeOrder.next = next } else { firstOfType[place] = next }
        if next != QueryIndex.none { self[next].typeOrder.previous = previous }
        if firstOfType[place] == QueryIndex.none { firstOfType[place] = nil }
        guard let membership = self[query].membership else { return }
        candidates[place]?.remove(query, membership)
        if candidates[place]?.isEmpty == true { candidates[place] = nil }
        ruleCount -= 1
        if !self[query].isLocal { remoteRuleCount -= 1 }
    }

    // MARK: Order of reads

    /// Records a read: the query becomes the last one to be evicted.
    mutating func touch(_ query: QueryID) {
        guard query != mostRecent else { return }
        detach(query)
        attach(query)
    }

    private mutating func attach(_ query: QueryID) {
        self[query].readOrder = QueryLinks(next: mostRecent)
        if mostRecent != QueryIndex.none { self[mostRecent].readOrder.previous = query }
        mostRecent = query
        if leastRecent == QueryIndex.none { leastRecent = query }
    }

    private mutating func detach(_ query: QueryID) {
        let previous = self[query].readOrder.previous
        let next = self[query].readOrder.next
        if previous != QueryIndex.none { self[previous].readOrder.next = next } else { mostRecent = next }
        if next != QueryIndex.none { self[next].readOrder.previous = previous } else { leastRecent = previous }
    }

    // MARK: The journal

    mutating func markDirty(_ query: QueryID) {
        if self[query].markDirty() { dirty.append(query) }
    }

    /// Makes the next flush remove a query's row, if it has one, because the row is no longer valid.
    mutating func voidRow(of query: QueryID) {
        if let number = self[query].voidRow() { removedNumbers.append(number) }
    }

    // MARK: Invariants

    /// Stops the program if the forward and the reverse index are not each other's inverse (law L3), or a list
    /// contradicts itself.
    ///
    /// No input reaches it: only tests and the simulation call this.
    ///
    /// - Complexity: O(queries + elements).
    func checkInvariants() {
        var placeCount = 0
        var pinned: [ListHandle: Int] = [:]
        for query in byKey.values {
            let entry = self[query]
            entry.list.checkInvariants()
            var previous: [UInt8]?
            var shownCount = 0
            var pinnedNodes: Set<ListNode> = []
            entry.list.forEachNode { node in
                let handle = entry.list.handle(of: node)
                let holder = keys.holder(of: handle, at: entry.list.place(of: node))
                precondition(
                    holder == ListedKeys.Holder(query: query, node: node),
                    "key \(handle) does not know its place in query \(entry.number) (L3)")
                if entry.membership != nil {
                    let key = entry.list.sortKey(of: node)
                    precondition(
                        previous.map { $0.lexicographicallyPrecedes(key) } ?? true,
                        "query \(entry.number) is out of order (L10)")
                    previous = key
                }
                if entry.observerCount > 0, entry.pinnedCountMax == .max || entry.list.isShown(node),
                    shownCount < entry.pinnedCountMax
                {
                    pinned[handle, default: 0] += 1
                    pinnedNodes.insert(node)
                }
                if entry.list.isShown(node) { shownCount += 1 }
                placeCount += 1
            }
            precondition(
                entry.awaited.isSubset(of: pinnedNodes)
                    && (entry.observerCount == 0 || entry.awaited.isEmpty != awaiting.contains(query)),
                "query \(entry.number) waits for entities that it does not pin (L9)")
            precondition(
                entry.list.count <= entry.elementCountMax(limits),
                "query \(entry.number) has \(entry.list.count) elements")
        }
        keys.forEachHolder { handle, holder, place in
            placeCount -= 1
            precondition(
                self[holder.query].list.handle(of: holder.node) == handle
                    && self[holder.query].list.place(of: holder.node) == place,
                "query \(self[holder.query].number) does not know a place of key \(handle) (L3)")
        }
        precondition(
            unbuiltCount == byKey.values.count { self[$0].unbuilt != nil }
                && byKey.values.allSatisfy { self[$0].unbuilt == nil || self[$0].list.wholeCount == 0 },
            "lists that are not built are miscounted")
        precondition(placeCount == 0, "\(placeCount) places more in lists than in the reverse index (L3)")
        precondition(awaiting.isSubset(of: byKey.values), "a query waits for entities and is none (L9)")
        keys.forEachHandle { handle in
            precondition(
                keys.pinCount(of: handle)
                    == pinned[handle, default: 0] + keys.observerCount(of: handle) + (keys.isLayered(handle) ? 1 : 0),
                "key \(handle) is pinned \(keys.pinCount(of: handle)) times (L9)")
        }
    }
}
