/// Entities, queries and the operations on them, written so that reading the code convinces: the oracle for query
/// lists.
///
/// It uses dictionaries and arrays without any index: a rule is evaluated over every entity. Events arrive in order;
/// ``ReferenceModel`` is the oracle for that order. Nothing is bounded.
///
/// ```swift
/// var model = ReferenceCache(now: 0)
/// let key = ReferenceKey(library: [], type: Array("file".utf8), id: Array("f1".utf8))
/// let file = try ReferenceJSONParser.parse(Array(#"{"id":"f1","name":"a.txt"}"#.utf8))
/// guard model.transact([.put(key, file)], in: key.library) else { return }
/// print(model.view(key).json == file)
/// ```
///
/// - Source: Protocol/queries.md.
package struct ReferenceCache: Sendable {
    /// The entities, without the changes of layers.
    package internal(set) var entities: [ReferenceKey: ReferenceCacheEntity] = [:]
    /// The temporary ids that were renamed. Unlike in the cache, their number is not bounded.
    package internal(set) var renamings: [ReferenceRenaming] = []
    /// What remains of deleted entities.
    package internal(set) var tombstones: [ReferenceKey: ReferenceTombstone] = [:]
    /// The libraries by id.
    package internal(set) var libraries: [[UInt8]: ReferenceCacheLibrary] = [:]
    /// The stored queries by name.
    package internal(set) var queries: [ReferenceQueryName: ReferenceQuery] = [:]
    /// Every write, in order.
    var writes: [ReferenceWrite] = []
    /// Every cause that made lists stale since the start, in order.
    var stalings: [ReferenceStaling] = []
    /// The highest sequence at which lists of a library became stale, and the generation of its log.
    var staleThrough: [[UInt8]: (place: Int64, generation: Int)] = [:]
    /// The value of ``staleThrough`` at the last restart.
    var staleThroughBefore: [[UInt8]: (place: Int64, generation: Int)] = [:]
    /// Every clear, in order: the library, or nil for all libraries.
    var clears: [[UInt8]?] = []
    /// The fields that results wrote, in order.
    var answeredFields: [ReferenceAnsweredFields] = []
    /// How many questions there were so far.
    var questionCount = 0
    /// The fetches in progress.
    package internal(set) var fetches: [ReferenceQueryName: ReferenceFetch] = [:]
    /// The time in milliseconds.
    package internal(set) var now: Int64
    /// The observed queries.
    package var observed: Set<ReferenceQueryName> = []
    /// Stored or observed queries, the least recently read first.
    var readOrder: [ReferenceQueryName] = []
    /// Mutations that have not settled, oldest first.
    package internal(set) var layers: [ReferenceLayer] = []
    /// The renamed keys, in order, for tests that follow an entity.
    var renamed: [(from: ReferenceKey, to: ReferenceKey)] = []
    private var marks: [ReferenceSeen] = []
    let layerCountMax: Int
    private let queryCountMax: Int
    let elementCountMax: Int
    private var lastNumber = 0

    /// Creates an empty cache.
    ///
    /// - Parameter now: The time in milliseconds.
    package init(
        now: Int64, queryCountMax: Int = 100_000, elementCountMax: Int = 1_000_000, layerCountMax: Int = 10_000
    ) {
        self.layerCountMax = layerCountMax
        self.now = now
        self.queryCountMax = queryCountMax
        self.elementCountMax = elementCountMax
    }

    // MARK: Events

    /// Advances a library's cursor to a sequence, and settles the layers that wait for it.
    package mutating func advance(_ library: [UInt8], to sequence: Int64) {
        open(library)
        libraries[library]?.cursor = sequence
        settleReached(library)
    }

    /// Applies an event with resources.
    ///
    /// - Parameter merges: True if the event has metadata, with no fields excluded from the merge.
    package mutating func change(
        _ library: [UInt8], type: [UInt8], resources: [ReferenceResource], sequence: Int64?, merges: Bool = false
    ) {
        open(library)
        for resource in resources {
            let key = ReferenceKey(library: library, type: type, id: resource.id)
            if isOutdated(key, sequence) {
                if writeEarlierFields(resource.json, key, sequence: sequence, merges: merges) {
                    note(key, sequence: sequence)
                    settleOfOldLog(key)
                }
                continue
            }
            var json = resource.json
            if merges, let base = entities[key]?.json.members, let incoming = json.members {
                json = .object(ReferenceMerge(noMergeFields: []).merge(base, with: incoming))
            }
            write(
                json, key, fields: merges && entities[key] != nil ? resource.json : nil, sequence: sequence,
                isAnswer: false)
            note(key, sequence: sequence)
            settleOfOldLog(key)
        }
    }

    /// Applies a delete event.
    package mutating func delete(_ key: ReferenceKey, sequence: Int64?) {
        open(key.library)
        guard !isOutdated(key, sequence) else {
            if writeEarlierFields(nil, key, sequence: sequence, merges: false) { settleOfOldLog(key) }
            return
        }
        erase(key, sequence: sequence)
        note(key, sequence: sequence)
        settleOfOldLog(key)
    }

    /// Begins the library's log anew.
    package mutating func beginEpoch(_ library: [UInt8]) {
        open(library)
        libraries[library]?.cursor = nil
        libraries[library]?.generation += 1
        makeStale(in: library, event: nil) { _, _ in true }
    }

    /// Makes a library's queries stale after a gap was declared lost.
    package mutating func loseGap(_ library: [UInt8]) {
        makeStale(in: library, event: nil) { _, _ in true }
    }

    // MARK: Transactions and removals

    /// One step of a transaction.
    package enum Step: Sendable {
        /// Replaces an entity.
        case put(ReferenceKey, ReferenceJSON)
        /// Sets and removes fields of an entity that must exist.
        case patch(ReferenceKey, fields: ReferenceJSON, unset: [[UInt8]])
        /// Deletes an entity.
        case delete(ReferenceKey)
    }

    /// Performs a transaction.
    ///
    /// - Returns: False if the entity of a patch does not exist; nothing changed then.
    package mutating func transact(_ steps: [Step], in library: [UInt8]) -> Bool {
        var next = self
        next.open(library)
        for step in steps {
            switch step {
            case .put(let key, let json):
                next.write(json, key, sequence: nil, isAnswer: false)
                next.note(key, sequence: nil)
            case .patch(let key, let fields, let unset):
                guard let base = next.entities[key]?.json else { return false }
                let patched = Self.assigned(fields, into: base, unset: unset)
                next.write(patched, key, fields: fields, sequence: nil, isAnswer: false)
                next.note(key, sequence: nil)
            case .delete(let key):
                next.erase(key, sequence: nil)
                next.note(key, sequence: nil)
            }
        }
        // Lists follow the result of the whole transaction, not its steps.
        let (after, tombstones, writes) = (next.entities, next.tombstones, next.writes)
        open(library)
        var keys: [ReferenceKey] = []
        for step in steps {
            switch step {
            case .put(let key, _), .patch(let key, _, _), .delete(let key):
                if !keys.contains(key) { keys.append(key) }
            }
        }
        for key in keys {
            let before = entities[key]?.json
            entities[key] = after[key]
            self.tombstones[key] = tombstones[key]
            if let entity = after[key] {
                if entity.json != before { follow(key) }
            } else {
                followDelete(key)
            }
        }
        self.writes = writes
        return true
    }

    /// Removes entities from the cache without a tombstone.
    ///
    /// - Returns: How many of them were there.
    package mutating func remove(_ keys: [ReferenceKey]) -> Int {
        var count = 0
        for key in keys where entities[key] != nil {
            count += 1
            entities[key] = nil
            for (name, query) in queries where concerns(name, query, key) {
                guard query.rule != nil, query.members.contains(key.id) else { continue }
                queries[name]?.members.removeAll { $0 == key.id }
                queries[name]?.isMarkedStale = true
            }
        }
        return count
    }

    /// Clears a library, or all if `library` is nil; log positions stay.
    package mutating func clear(_ library: [UInt8]?) {
        clears.append(library)
        for key in entities.keys where library == nil || key.library == library { entities[key] = nil }
        for key in tombstones.keys where library == nil || key.library == library { tombstones[key] = nil }
        for name in queries.keys where library == nil || name.library == library {
            queries[name] = nil
            if !observed.contains(name) { readOrder.removeAll { $0 == name } }
        }
    }

    // MARK: Time

    /// Lets time pass.
    package mutating func wait(milliseconds: Int64) { now += milliseconds }

    /// Records the state between two steps of an operation.
    mutating func mark() { marks.append(seen) }

    /// The list of every query, and every layered or stored entity: everything that observers can distinguish.
    package var seen: ReferenceSeen {
        var seen = ReferenceSeen()
        for name in queries.keys { seen.lists[name] = list(name) }
        for key in Set(entities.keys).union(layers.flatMap(\.changes).map(\.key)) {
            seen.entities[key] = view(key).json
        }
        return seen
    }

    /// Returns the keys that were renamed since the last call.
    package mutating func takeRenamed() -> [(from: ReferenceKey, to: ReferenceKey)] {
        defer { renamed = [] }
        return renamed
    }

    /// Returns the states between the steps of operations since the last call, oldest first.
    package mutating func takeMarks() -> [ReferenceSeen] {
        defer { marks = [] }
        return marks
    }

    /// Closes and opens the cache: causes and fetches are forgotten, and nothing is observed.
    package mutating func restart() {
        fetches = [:]
        stalings = []
        staleThroughBefore = staleThrough
        for name in queries.keys { queries[name]?.question = 0 }
        observed = []
        readOrder = queries.keys.sorted { (queries[$0]?.number ?? 0) < (queries[$1]?.number ?? 0) }
    }

    // MARK: Known queries

    /// Counts a read of a query in the LRU order.
    mutating func touch(_ name: ReferenceQueryName) {
        readOrder.removeAll { $0 == name }
        readOrder.append(name)
    }

    /// Ends the observation of a query.
    package mutating func stopObserving(_ name: ReferenceQueryName) {
        observed.remove(name)
        if queries[name] == nil { readOrder.removeAll { $0 == name } }
    }

    /// Makes room for a query, by evicting the least recently read one without an observer.
    ///
    /// - Returns: The number of the query; nil if every known query is observed.
    mutating func evict(for name: ReferenceQueryName) -> Int? {
        if readOrder.contains(name) { return queries[name]?.number ?? numberOfOpened }
        if readOrder.count >= queryCountMax {
            guard let oldest = readOrder.first(where: { !observed.contains($0) }) else { return nil }
            readOrder.removeAll { $0 == oldest }
            forgetQuery(oldest)
        }
        return numberOfOpened
    }

    /// The number of a new query; higher than all before.
    private var numberOfOpened: Int {
        mutating get {
            lastNumber += 1
            return lastNumber
        }
    }

    mutating func open(_ library: [UInt8]) {
        if libraries[library] == nil { libraries[library] = ReferenceCacheLibrary() }
    }
}
