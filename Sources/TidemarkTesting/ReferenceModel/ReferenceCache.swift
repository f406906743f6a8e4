/// Entities, queries and what happens to them, written to be believed by reading: the oracle for query lists.
///
/// Dictionaries and arrays, no index of any kind: a rule is evaluated by looking at every entity. Events come here
/// already in order; ``ReferenceModel`` is the oracle for how they get into it. Nothing is bounded.
///
/// - Source: Protocol/queries.md.
package struct ReferenceCache: Sendable {
    package internal(set) var entities: [ReferenceKey: ReferenceCacheEntity] = [:]
    package internal(set) var tombstones: [ReferenceKey: ReferenceTombstone] = [:]
    package internal(set) var libraries: [[UInt8]: ReferenceCacheLibrary] = [:]
    package internal(set) var queries: [ReferenceQueryName: ReferenceQuery] = [:]
    /// Every write by an event or a transaction, in order.
    var writes: [ReferenceWrite] = []
    /// Fetches under way.
    package internal(set) var fetches: [ReferenceQueryName: ReferenceFetch] = [:]
    package internal(set) var now: Int64
    /// Queries that are observed.
    package var observed: Set<ReferenceQueryName> = []
    /// Stored or observed queries, the one that was read last at the end.
    var readOrder: [ReferenceQueryName] = []
    /// Mutations that have not settled, oldest first.
    package internal(set) var layers: [ReferenceLayer] = []
    /// Keys that were renamed, in order, for whoever follows an entity.
    var renamed: [(from: ReferenceKey, to: ReferenceKey)] = []
    private var marks: [ReferenceSeen] = []
    let layerCountMax: Int
    private let queryCountMax: Int
    let elementCountMax: Int
    private var lastNumber = 0

    package init(
        now: Int64, queryCountMax: Int = 100_000, elementCountMax: Int = 1_000_000, layerCountMax: Int = 10_000
    ) {
        self.layerCountMax = layerCountMax
        self.now = now
        self.queryCountMax = queryCountMax
        self.elementCountMax = elementCountMax
    }

    // MARK: Events

    /// A library's log reaches a sequence.
    package mutating func advance(_ library: [UInt8], to sequence: Int64) {
        open(library)
        libraries[library]?.cursor = sequence
        settleReached(library)
    }

    /// One event of changes.
    ///
    /// - Parameter merges: It has metadata, without fields that are not to be merged.
    package mutating func change(
        _ library: [UInt8], type: [UInt8], resources: [ReferenceResource], sequence: Int64?, merges: Bool = false
    ) {
        open(library)
        for resource in resources {
            let key = ReferenceKey(library: library, type: type, id: resource.id)
            guard !isOutdated(key, sequence) else { continue }
            var json = resource.json
            if merges, let base = entities[key]?.json.members, let incoming = json.members {
                json = .object(ReferenceMerge(noMergeFields: []).merge(base, with: incoming))
            }
            write(json, key, sequence: sequence, isAnswer: false)
            note(key, sequence: sequence)
            settleOfOldLog(key)
        }
    }

    /// One event that deletes.
    package mutating func delete(_ key: ReferenceKey, sequence: Int64?) {
        open(key.library)
        guard !isOutdated(key, sequence) else { return }
        erase(key, sequence: sequence)
        note(key, sequence: sequence)
        settleOfOldLog(key)
    }

    /// The library's log begins anew.
    package mutating func beginEpoch(_ library: [UInt8]) {
        open(library)
        libraries[library]?.cursor = nil
        libraries[library]?.generation += 1
        markStale { name, _ in name.library == library }
    }

    /// A gap was declared lost.
    package mutating func loseGap(_ library: [UInt8]) {
        markStale { name, _ in name.library == library }
    }

    // MARK: Transactions and removals

    /// One step of a transaction that is known to succeed.
    package enum Step: Sendable {
        case put(ReferenceKey, ReferenceJSON)
        case patch(ReferenceKey, fields: ReferenceJSON, unset: [[UInt8]])
        case delete(ReferenceKey)
    }

    /// - Returns: False when a patch's entity is not there; nothing changed then.
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
                next.write(patched, key, sequence: nil, isAnswer: false)
                next.note(key, sequence: nil)
            case .delete(let key):
                next.erase(key, sequence: nil)
                next.note(key, sequence: nil)
            }
        }
        // Lists follow what a transaction did as a whole, not its steps.
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

    /// Forgets entities; nothing is said about the server.
    ///
    /// - Returns: How many there were.
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

    /// Removes everything but places in logs.
    package mutating func clear(_ library: [UInt8]?) {
        for key in entities.keys where library == nil || key.library == library { entities[key] = nil }
        for key in tombstones.keys where library == nil || key.library == library { tombstones[key] = nil }
        for name in queries.keys where library == nil || name.library == library {
            queries[name] = nil
            if !observed.contains(name) { readOrder.removeAll { $0 == name } }
        }
    }

    // MARK: Time

    package mutating func wait(milliseconds: Int64) { now += milliseconds }

    /// One step ends and another begins, within one operation.
    mutating func mark() { marks.append(seen) }

    /// What every query shows, and every layered or stored entity: what observers can tell apart.
    package var seen: ReferenceSeen {
        var seen = ReferenceSeen()
        for name in queries.keys { seen.lists[name] = list(name) }
        for key in Set(entities.keys).union(layers.flatMap(\.changes).map(\.key)) {
            seen.entities[key] = view(key).json
        }
        return seen
    }

    /// Keys that were renamed since this was asked last.
    package mutating func takeRenamed() -> [(from: ReferenceKey, to: ReferenceKey)] {
        defer { renamed = [] }
        return renamed
    }

    /// What was seen between the steps of operations, oldest first.
    package mutating func takeMarks() -> [ReferenceSeen] {
        defer { marks = [] }
        return marks
    }

    /// Closes and opens again: what was remembered of writes is gone, and nobody observes.
    package mutating func restart() {
        fetches = [:]
        observed = []
        readOrder = queries.keys.sorted { (queries[$0]?.number ?? 0) < (queries[$1]?.number ?? 0) }
    }

    // MARK: Queries that are known

    /// Counts as a read.
    mutating func touch(_ name: ReferenceQueryName) {
        readOrder.removeAll { $0 == name }
        readOrder.append(name)
    }

    /// Nobody observes a query any more.
    package mutating func stopObserving(_ name: ReferenceQueryName) {
        observed.remove(name)
        if queries[name] == nil { readOrder.removeAll { $0 == name } }
    }

    /// - Returns: The number of the query; nil when all of as many as there may be are observed.
    mutating func makeRoom(for name: ReferenceQueryName) -> Int? {
        if readOrder.contains(name) { return queries[name]?.number ?? numberOfOpened }
        if readOrder.count >= queryCountMax {
            guard let oldest = readOrder.first(where: { !observed.contains($0) }) else { return nil }
            readOrder.removeAll { $0 == oldest }
            forgetQuery(oldest)
        }
        return numberOfOpened
    }

    /// Every query that is opened has a higher number than those before it.
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
