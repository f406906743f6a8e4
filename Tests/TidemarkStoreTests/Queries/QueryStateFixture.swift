import Testing
import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore
import TidemarkTesting
import TidemarkWire

/// A cache state on a journal in memory, driven by operations as text: loads, flushes, evictions and restarts by hand.
struct QueryStateFixture: ~Copyable {
    private(set) var state: CacheState
    private(set) var now: Int64
    private let limits: Limits
    private let journal = MemoryJournal()
    private var isFlushing = false
    private var flush: FlushBatch?
    private var starts: [ReferenceQueryName: FetchStart] = [:]
    /// The last lists of observers, in list order.
    private(set) var observers: [ReferenceQueryName: Observer] = [:]
    private let decoder: EventDecoder

    struct Observer {
        var query: QueryID
        var list: [[UInt8]]
        var isStale: Bool
    }

    init(limits: Limits, now: Int64) async throws {
        self.limits = limits
        self.now = now
        decoder = try EventDecoder(limits: limits)
        state = CacheState(configuration: CacheStateConfiguration(limits: limits), recovered: RecoveredState(), seed: 1)
    }

    // MARK: Operations

    /// Performs an operation, and clears the log after observers' lists were updated from it.
    mutating func perform(_ operation: CacheOperation) async throws -> CacheOutcome {
        switch operation {
        case .event(let event), .eventBehindGap(let event):
            let batch = try decode([event.line])
            try await load(state.keysToLoad(for: batch))
            state.apply(batch, at: now)
            _ = state.expireGaps(at: now, patience: .none)
        case .put(let name, let answer): return try await store(name, answer, nil)
        case .beginFetch(let name): starts[name] = state.beginFetch(in: ByteString(name.library))
        case .answer(let name, let answer):
            let taken = starts.removeValue(forKey: name)
            let start = try #require(taken)
            let outcome = try await store(name, answer, start)
            state.endFetch()
            return outcome
        case .transact(let library, let steps):
            var read: [TransactionStep] = []
            for given in steps { read.append(try step(given, library)) }
            let steps = read
            try await load(state.keysToLoad(for: steps, in: ByteString(library)))
            do throws(TransactionError) {
                try state.transact(steps, in: ByteString(library), at: now)
            } catch {
                return .refused
            }
        case .remove(let library, let type, let ids):
            let unique = Set(ids).sorted()
            let keys = unique.compactMap {
                state.keyToLoad(EntityKey(library: ByteString(library), type: ByteString(type), id: ByteString($0)))
            }
            let rows = try await journal.load(keys).entities.map { StoredRow(key: $0.key, row: $0.row) }
            let resident = state.residentKeys(
                library: ByteString(library), type: ByteString(type), ids: unique.map { ByteString($0) }, matching: nil)
            return .count(state.remove(resident, rows: rows, at: now))
        case .clear(let library): state.clear(library: library.map { ByteString($0) }, at: now)
        case .invalidate(let library, let name, let type, let hints):
            return .count(
                state.invalidate(
                    CacheState.Selection(
                        library: ByteString(library), method: name.map { ByteString($0.method) },
                        input: name.map { ByteString($0.input) }, resourceType: type.map { ByteString($0) }, tags: nil,
                        hints: hints.map { Array($0.utf8) }), at: now))
        case .wait(let milliseconds):
            now += milliseconds
            state.expire(observers.values.map(\.query), at: now)
        case .echo(let event, let mutationID):
            let batch = try decode([event.line(mutationID: mutationID)])
            try await load(state.keysToLoad(for: batch))
            state.apply(batch, at: now)
        case .update(let layer):
            var steps: [TransactionStep] = []
            for given in layer.steps { steps.append(try step(given, layer.library)) }
            let update = LayerUpdate(
                pendingID: ByteString(layer.pendingID), library: ByteString(layer.library), steps: steps,
                dependsOn: layer.dependsOn.map { ByteString($0) })
            try await load(state.keysToLoad(for: steps, in: update.library))
            return outcome { state, now throws(LayerError) in try state.lay(update, at: now) }
        case .commit(let given):
            let confirmation = try confirmation(given)
            try await load(state.keysToLoad(for: confirmation))
            return outcome { state, now throws(LayerError) in try state.confirm(confirmation, at: now) }
        case .rollBack(let pendingID, let library):
            let (pendingID, library) = (ByteString(pendingID), library.map { ByteString($0) })
            return outcome { state, now throws(LayerError) in
                try state.rollBack(pendingID, library: library, at: now)
            }
        }
        return .done
    }

    private mutating func outcome(
        _ body: (inout CacheState, Int64) throws(LayerError) -> Void
    ) -> CacheOutcome {
        do throws(LayerError) {
            try body(&state, now)
            return .done
        } catch {
            return switch error {
            case .duplicate: .failed("duplicate_pending")
            case .unknown: .failed("unknown_pending")
            case .tooManyLayers, .tooManyBytes, .tooManyLibraries, .tooManyTypes, .tooLarge: .failed("limit_exceeded")
            case .noChanges, .badResource, .changesIdentity, .typeless: .failed("invalid_params")
            }
        }
    }

    private func confirmation(_ given: CacheCommit) throws -> LayerConfirmation {
        LayerConfirmation(
            pendingID: ByteString(given.pendingID), library: given.library.map { ByteString($0) },
            confirmed: try given.confirmed?.map { resource in
                try put(library: "a", type: given.type ?? "file", resource)
            }, type: given.type.map { ByteString($0) }, sequence: given.sequence.map { EventSequence($0) },
            realIDs: given.realIDs.sorted { $0.key < $1.key }.map { temporary, real in
                LayerConfirmation.RealID(
                    temporary: ByteString(temporary), real: ByteString(real), json: Array("\"\(real)\"".utf8))
            })
    }

    private mutating func store(
        _ name: ReferenceQueryName, _ answer: CacheAnswer, _ start: FetchStart?
    ) async throws -> CacheOutcome {
        let parts = [(answer.type, answer.resources)] + answer.included.map { ($0.type, $0.resources) }
        let batch = try decode(
            parts.map { type, resources in
                #"{"library_id":"\#(String(decoding: name.library, as: UTF8.self))","event":{"ResourceBatchChanged":"#
                    + #"{"resource_type":"\#(type)","resources":[\#(resources.joined(separator: ","))]}}}"#
            })
        let head = QueryResultHead(
            key: key(name), timeToLive: answer.timeToLive, asOf: answer.asOf.map { EventSequence($0) },
            membership: try answer.rule.map { try Membership(json: Array($0.utf8)) },
            membershipText: answer.rule.map { Array($0.utf8) } ?? [], tags: answer.tags.map { Array($0.utf8) } ?? [],
            isLocal: answer.isLocal, start: start)
        try await load(state.keysToLoad(for: batch, head))
        let query: QueryID
        do throws(FieldResponseError) {
            query = try state.store(batch, head, at: now)
        } catch {
            return error == .cleared ? .done : .refused
        }
        guard let fill = state.fill(of: query) else { return .done }
        var after: StoredID?
        while true {
            // Pages have two entities, so that the list grows in many steps.
            let page = try await journal.page(
                library: fill.library, type: fill.type, after: after, countMax: 2, constraint: nil)
            guard let last = page.entities.last else { break }
            after = last.key.id
            let goesOn = state.fill(fill, with: page, at: now)
            #expect(goesOn)
        }
        state.end(fill)
        return .done
    }

    private func step(_ step: CacheStep, _ library: String) throws -> TransactionStep {
        switch step {
        case .put(let type, let resource):
            .put(try put(library: library, type: type, resource))
        case .patch(let type, let id, let fields, let unset):
            .patch(
                type: ByteString(type), id: ByteString(id), fields: Array(fields.utf8),
                unset: unset.map { ByteString($0) })
        case .removeField(let type, let id, let field):
            .removeField(type: ByteString(type), id: ByteString(id), ByteString(field))
        case .delete(let type, let id): .delete(type: ByteString(type), id: ByteString(id))
        }
    }

    private func put(library: String, type: String, _ resource: String) throws -> PutResource {
        let event = CacheEvent.change(
            library: library, type: type, resources: [resource], sequence: nil, merges: false, isIndex: false)
        return PutResource(batch: try decode([event.line]), index: 0)
    }

    private func decode(_ lines: [String]) throws -> EventBatch {
        var framer = LineFramer(limits: limits)
        Array(lines.map { $0 + "\n" }.joined().utf8).withUnsafeBytes { framer.append($0) }
        framer.finish()
        let blocks = framer.takeBlocks()
        return try decoder.decode(try #require(blocks.first))
    }

    private mutating func load(_ keys: [StoredKey]) async throws {
        if !keys.isEmpty { state.install(try await journal.load(keys)) }
    }

    // MARK: Reading

    func key(_ name: ReferenceQueryName) -> QueryKey {
        QueryKey(
            library: ByteString(name.library), method: ByteString(name.method), canonicalInput: ByteString(name.input))
    }

    /// Returns a list in the model's form.
    mutating func list(_ name: ReferenceQueryName, isWhole: Bool = false) async throws -> ReferenceList? {
        guard let status = state.status(of: key(name), at: now) else { return nil }
        try await load(state.keysToLoad(ofList: status.query, isWhole: isWhole))
        let listed = state.list(status.query, at: now, isWhole: isWhole)
        return ReferenceList(
            ids: listed.keys.map(\.id.bytes), resources: listed.resources,
            isStale: state.isStale(status.query, at: now), isPartial: listed.isPartial,
            asOf: state.asOf(status.query)?.rawValue)
    }

    // MARK: Observers

    mutating func observe(_ name: ReferenceQueryName) async throws -> Bool {
        guard let status = state.status(of: key(name), at: now), observers[name] == nil,
            let list = try await list(name, isWhole: true), !list.isPartial
        else { return false }
        state.clearLog()
        state.observe(status.query, at: now)
        observers[name] = Observer(query: status.query, list: list.resources, isStale: list.isStale)
        return true
    }

    mutating func stopObserving(_ name: ReferenceQueryName) {
        guard let observer = observers.removeValue(forKey: name) else { return }
        state.stopObserving(observer.query)
        state.clearLog()
    }

    /// Applies the logged changes to the lists of observers, and checks them.
    ///
    /// - Parameters:
    ///   - unitCountMax: The number of changes that one query may have.
    ///   - isSingle: Whether at most one entity was written.
    /// - Returns: The problems in words; empty when there are none.
    mutating func followLog(unitCountMax: Int, isSingle: Bool) -> [String] {
        var problems: [String] = []
        var counts: [QueryID: Int] = [:]
        for record in state.changeLog {
            guard case .query(let change) = record else { continue }
            counts[change.query, default: 0] += 1
            guard let name = observers.first(where: { $0.value.query == change.query })?.key,
                var observer = observers[name]
            else {
                problems.append("query \(change.query) changed unobserved")
                continue
            }
            if change.steps.isEmpty, change.isStale == observer.isStale { problems.append("nothing visible changed") }
            var kinds: [String] = []
            for step in change.steps {
                switch step {
                case .add(let value, let index):
                    kinds.append("add")
                    observer.list.insert(value.payload, at: index)
                case .remove(let value, let index):
                    kinds.append("remove")
                    if observer.list[index] != value.old { problems.append("an element left that did not stand there") }
                    observer.list.remove(at: index)
                case .replace(let value, let index):
                    kinds.append("replace")
                    if observer.list[index] != value.old { problems.append("an element changed that was another") }
                    if value.old == value.payload { problems.append("an element was replaced by itself") }
                    observer.list[index] = value.payload
                case .move(_, let from, let to):
                    kinds.append("move")
                    if from == to { problems.append("a move to where it stood") }
                    observer.list.insert(observer.list.remove(at: from), at: to)
                }
            }
            let allowed: [[String]] = [
                [], ["add"], ["remove"], ["replace"], ["move"], ["move", "replace"], ["remove", "add"],
                ["add", "remove"],
            ]
            if isSingle, !allowed.contains(kinds) { problems.append("one change made \(kinds)") }
            observer.isStale = change.isStale
            observers[name] = observer
        }
        for (query, count) in counts where count > unitCountMax {
            problems.append("query \(query) changed \(count) times at once")
        }
        state.clearLog()
        return problems
    }

    // MARK: The journal

    /// Takes a flush, or commits the one that was taken.
    mutating func stepFlush(evicts: Bool) async throws {
        guard let taken = flush else {
            flush = state.takeFlush()
            return
        }
        try await journal.commit(taken)
        flush = nil
        state.flushCommitted()
        if evicts { _ = state.evict(toByteCount: 0, at: now) }
    }

    /// Writes everything, then opens a new state from the journal.
    mutating func restart(seed: UInt64) async throws {
        if flush != nil { try await stepFlush(evicts: false) }
        try await stepFlush(evicts: false)
        try await stepFlush(evicts: false)
        starts = [:]
        observers = [:]
        state = CacheState(
            configuration: CacheStateConfiguration(limits: limits), recovered: try await journal.recover(), seed: seed)
        try await load(state.keysToLoadForLayers())
        state.activateLayers(at: now)
    }
}
