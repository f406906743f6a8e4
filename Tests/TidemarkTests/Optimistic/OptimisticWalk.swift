import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

/// A cache and its model, given the same operations, with observers whose every state is compared.
struct OptimisticWalk {
    /// A fast and a slow observer of one query.
    struct Pair {
        var fast: SubscriptionID
        var slow: SubscriptionID
        /// The number of states of the fast observer that were compared.
        var seenCount = 1
    }

    /// An observer of one entity, and its last notification.
    struct Watch {
        var subscription: SubscriptionID
        var key: ReferenceKey
        var last: ReferenceJSON?
    }

    var fixture: QueryFixture
    var model: ReferenceCache
    let names: [ReferenceQueryName]
    var fast = FoldingSink(keepsTraces: true)
    var slow = FoldingSink()
    var pairs: [ReferenceQueryName: Pair] = [:]
    var watches: [Watch] = []
    var toldEntityCount = 0
    var replies: [ReferenceQueryName: Reply] = [:]
    /// The states that may be on the disk: the model at the last durable step, and after each step since.
    var durable: [ReferenceCache]
    /// The visible state of the model after the last step; nil until it is needed.
    var seen: ReferenceSeen?

    init(_ fixture: QueryFixture, _ model: ReferenceCache, names: [ReferenceQueryName]) {
        self.fixture = fixture
        self.model = model
        self.names = names
        durable = [model]
    }

    // MARK: Operations

    /// Performs an operation.
    ///
    /// - Returns: The differences between the cache and the model.
    mutating func perform(_ operation: CacheOperation) async throws -> [String] {
        let before = seen ?? model.seen
        var problems = try await act(operation)
        let after = model.seen
        seen = after
        let states = model.takeMarks() + [after]
        problems += await compareTraces(operation, before, states)
        problems += compareWatches(states)
        return problems + fast.problems + slow.problems
    }

    /// Repeats a step that was compared before.
    mutating func repeatStep(_ operation: CacheOperation) async throws {
        let problems = try await act(operation)
        #expect(problems == [])
        catchUp()
    }

    mutating func act(_ operation: CacheOperation) async throws -> [String] {
        let wanted = try model.perform(operation)
        let found = try await fixture.perform(operation, &replies)
        switch (operation, wanted) {
        case (.update, .done), (.commit, .done), (.rollBack, .done): durable = [model]
        default: durable.append(model)
        }
        return found == wanted ? [] : ["\(found), not \(wanted)"]
    }

    /// Accepts the current state of the observers as right.
    mutating func catchUp() {
        seen = nil
        _ = model.takeMarks()
        let renamed = model.takeRenamed()
        for (name, pair) in pairs { pairs[name]?.seenCount = fast.observer(pair.fast)?.trace.count ?? 1 }
        toldEntityCount = fast.entities.count
        for index in watches.indices {
            for name in renamed where name.from == watches[index].key { watches[index].key = name.to }
            watches[index].last = model.view(watches[index].key).json
        }
    }

    mutating func flush() async throws {
        try await fixture.cache.flush()
        durable = [model]
    }

    /// Checks that an observer's notified states are exactly those of the model, in order.
    mutating func compareTraces(
        _ operation: CacheOperation, _ before: ReferenceSeen, _ states: [ReferenceSeen]
    ) async -> [String] {
        var problems: [String] = []
        for (name, pair) in pairs {
            var wanted: [FoldingSink.Seen] = [seen(before.lists[name])]
            for state in states where seen(state.lists[name]) != wanted.last { wanted.append(seen(state.lists[name])) }
            let isRight = await eventually {
                guard let observer = fast.observer(pair.fast) else { return false }
                return FoldingSink.Seen(list: observer.list, isStale: observer.isStale) == wanted.last
            }
            let trace = fast.observer(pair.fast)?.trace ?? []
            pairs[name]?.seenCount = trace.count
            let found = Array(trace[max(0, pair.seenCount - 1)...])
            if isRight, found == wanted || isLoose(operation) { continue }
            problems.append(
                "an observer of \(text(name.input)) saw \(found.map(describe)), not \(wanted.map(describe))")
        }
        return problems
    }

    /// Whether an operation may have more states: a list that is completed over pages may be read between them, and a
    /// timer expires lists.
    func isLoose(_ operation: CacheOperation) -> Bool {
        switch operation {
        case .put(_, let answer): answer.isLocal
        case .wait: true
        default: false
        }
    }

    mutating func compareWatches(_ states: [ReferenceSeen]) -> [String] {
        let told = fast.entities[toldEntityCount...]
        toldEntityCount += told.count
        let renamed = model.takeRenamed()
        var problems: [String] = []
        for index in watches.indices {
            var wanted: [ReferenceJSON?] = []
            for (place, state) in states.enumerated() {
                if place == states.count - 1 {
                    for name in renamed where name.from == watches[index].key { watches[index].key = name.to }
                }
                let now = state.entities[watches[index].key]
                if now?.written == watches[index].last?.written { continue }
                wanted.append(now)
                watches[index].last = now
            }
            let found = told.filter { $0.subscription == watches[index].subscription }
            if found.map(\.entity) == wanted.map({ $0?.written }) { continue }
            problems.append(
                "an observer of \(text(watches[index].key.id)) saw \(found.map { text($0.entity) }), "
                    + "not \(wanted.map { text($0?.written) })")
        }
        return problems
    }

    // MARK: Observers

    /// Observes a query with a fast and a slow observer, or ends both.
    mutating func toggle(_ name: ReferenceQueryName) async throws -> [String] {
        if let pair = pairs.removeValue(forKey: name) {
            try await fixture.cache.cancel(pair.fast)
            try await fixture.cache.cancel(pair.slow)
            fast.forget(pair.fast)
            slow.forget(pair.slow)
            model.stopObserving(name)
            return []
        }
        let list = model.read(name)
        let (left, right) = (try await observe(name, fast), try await observe(name, slow))
        guard let left, let right else {
            return list?.isPartial == false ? ["\(describe(list)) cannot be observed"] : []
        }
        pairs[name] = Pair(fast: left, slow: right)
        model.observed.insert(name)
        return []
    }

    func observe(_ name: ReferenceQueryName, _ sink: FoldingSink) async throws -> SubscriptionID? {
        let reply = Reply()
        var request = QueryRequest(try QueryFixture.key(name), policy: .cacheOnly)
        request.allowsStale = true
        await fixture.cache.read(request, observing: sink, reply: { reply.take($0, sink) }, later: { _ in })
        #expect(await eventually { reply.isThere })
        return reply.subscription
    }

    mutating func watch(_ key: ReferenceKey) async throws {
        let box = WatchReply()
        await fixture.cache.observe(OptimisticWalk.key(key), fields: nil, sink: fast) { box.take($0) }
        guard let subscription = try box.subscription() else { return }
        watches.append(Watch(subscription: subscription, key: key, last: model.view(key).json))
    }

    mutating func setRoom(_ count: Int?) { slow.setRoom(count) }

    func resume() async { await fixture.cache.resume(slow) }

    /// Lets slow observers get all their notifications, after which they have the current state.
    func wake(isForced: Bool) async -> [String] {
        slow.setRoom(nil)
        if isForced { await fixture.cache.deliverAll(to: slow) } else { await fixture.cache.resume(slow) }
        var problems: [String] = []
        for (name, pair) in pairs {
            let wanted = seen(model.list(name))
            let isRight = await eventually {
                slow.observer(pair.slow).map { FoldingSink.Seen(list: $0.list, isStale: $0.isStale) } == wanted
            }
            guard !isRight else { continue }
            problems.append(
                "a slow observer of \(text(name.input)) ended with "
                    + "\(slow.observer(pair.slow).map { describe(FoldingSink.Seen(list: $0.list, isStale: $0.isStale)) } ?? "-")"
                    + ", not \(describe(wanted))")
        }
        return problems + slow.problems
    }

    // MARK: Opening again

    /// Continues with a cache that was opened from the journal of an earlier one.
    ///
    /// - Returns: The differences, if its state is none of the possible ones.
    mutating func goOn(with fixture: QueryFixture) async throws -> [String] {
        self.fixture = fixture
        (fast, slow, pairs, watches, replies, toldEntityCount) = (
            FoldingSink(keepsTraces: true), FoldingSink(), [:], [], [:], 0
        )
        var problems: [String] = []
        for candidate in durable.reversed() {
            model = candidate
            model.restart()
            catchUp()
            problems = try await compareAll()
            if problems.isEmpty {
                durable = [model]
                return []
            }
        }
        return ["opened again, it is as it was at none of \(durable.count) steps; at the first:"] + problems
    }
}
