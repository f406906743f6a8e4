import Testing
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

extension SyncCache {
    /// Nothing is being written, evicted or loaded for an observer.
    var isAtRest: Bool { observers.reserveLoad == nil && eviction.memoryTask == nil && !flushes.isUnderWay }
}

/// One run of a cache over a file beside ``NaiveLists``, which shares no code with it.
struct ReserveWalk {
    private struct Watcher {
        var list: Int
        var sink: FoldingSink
        var subscription: SubscriptionID
        var isSlow = false
        /// Lists that were the case after some step since it began to observe.
        var states: Set<[String]>
    }

    private static let idCount = 150

    private var random: SeededGenerator
    private let fixture: QueryFixture
    private var naive: NaiveLists
    private var watchers: [Watcher] = []
    private var nextLayer = 0
    private let memoryMax: Int
    private let entityMax: Int64?
    private(set) var problems: [String] = []
    var run: RandomWalk
    private(set) var toldCount = 0

    init(path: String, seed: UInt64) async throws {
        run = RandomWalk(seed: seed)
        var random = SeededGenerator(seed: seed ^ 0x2E5)
        let memoryMax = random.pick([0, 0, 6_000, 1 << 24])
        let entityMax: Int64? = random.pick([nil, nil, 120])
        fixture = try await QueryFixture.open(try await SQLiteJournal.open(path: path), hasUpstream: false) {
            $0.memoryByteCountMax = memoryMax
            $0.eviction.entityCountMax = entityMax
        }
        (self.memoryMax, self.entityMax) = (memoryMax, entityMax)
        naive = NaiveLists(rules: (0..<4).map { _ in NaiveLists.Rule(&random) })
        self.random = random
        for list in naive.rules.indices { try await put(list) }
        try await change(0..<ReserveWalk.idCount)
        try await rest()
    }

    private static func input(_ list: Int) -> String { #"{"q":\#(list)}"# }

    private static func key(_ id: Int) -> EntityKey { EntityKey(library: "a", type: "file", id: ByteString("k\(id)")) }

    private func put(_ list: Int) async throws {
        let rule = naive.rules[list].text
        try await fixture.put([], ReserveWalk.input(list)) {
            $0.isLocal = true
            $0.membership = Array(rule.utf8)
        }
    }

    // MARK: Steps

    mutating func step() async throws {
        let draw = random.weighted([6, 4, 3, 3, 4, 4, 4, 2, 3, 3, entityMax == nil ? 0 : 2])
        run.note("step \(draw), memory \(memoryMax), entities \(entityMax.map { "\($0)" } ?? "unbounded")")
        switch draw {
        case 0: try await change([random.below(ReserveWalk.idCount)])
        case 1: try await change((0..<ReserveWalk.idCount).filter { _ in random.chance(300) })
        case 2: try await deleteFirst()
        case 3: try await removeFirst()
        case 4: try await edit()
        case 5: try await rollBack()
        case 6: try await observe()
        case 7 where !watchers.isEmpty: try await cancel(random.below(watchers.count))
        case 8: try await fixture.cache.flush()
        case 9: await changePace()
        // An observer sees a list grow while it is filled: that is no state after a step.
        case 10: try await put(random.below(naive.rules.count))
        default: break
        }
        if entityMax != nil || random.chance(600) { try await rest() }
        noteStates()
        if entityMax != nil || random.chance(600) {
            try await rest()
            try await compare()
        }
    }

    private mutating func change(_ ids: some Collection<Int>) async throws {
        guard !ids.isEmpty else { return }
        var texts: [String] = []
        for id in ids {
            let row = NaiveLists.Row(n: random.below(60), w: random.below(3))
            naive.base[id] = row
            texts.append(row.text(id))
        }
        run.note("change \(ids.count)")
        try await fixture.input.feed([
            #"{"library_id":"a","event":{"ResourceBatchChanged":{"resource_type":"file","resources":[\#(texts.joined(separator: ","))]}}}"#
        ])
    }

    /// The first of some list, which many observers see the beginning of.
    private mutating func first(_ countMax: Int) -> [Int] {
        Array(naive.all(random.below(naive.rules.count)).prefix(1 + random.below(countMax)))
    }

    /// Deletes what a list begins with, in one unit or one by one.
    private mutating func deleteFirst() async throws {
        let ids = first(90)
        guard !ids.isEmpty else { return }
        for id in ids { naive.base[id] = nil }
        if random.chance(700) {
            run.note("delete \(ids.count)")
            try await fixture.cache.transact(
                ids.map { .delete(type: "file", id: ReserveWalk.key($0).id) }, library: "a")
        } else {
            run.note("delete \(ids.count) one by one")
            for watcher in watchers.indices { watchers[watcher].states = [] }
            try await fixture.input.feed(
                ids.map {
                    EventLine.delete("k\($0)", library: "a")
                })
        }
    }

    private mutating func removeFirst() async throws {
        let ids = first(60)
        guard !ids.isEmpty else { return }
        run.note("remove \(ids.count)")
        var removal = Removal(library: "a")
        removal.resourceType = "file"
        removal.ids = ids.map { ReserveWalk.key($0).id }
        _ = try await fixture.cache.remove(removal)
        for id in ids { naive.base[id] = nil }
    }

    private mutating func edit() async throws {
        guard naive.layers.count < 4 else { return }
        let ids = random.chance(500) ? first(60) : (0..<ReserveWalk.idCount).filter { _ in random.chance(40) }
        guard !ids.isEmpty else { return }
        nextLayer += 1
        let steps = ids.map { id -> (id: Int, step: NaiveLists.Step) in
            switch random.below(4) {
            case 0: (id, .delete)
            case 1: (id, .put(NaiveLists.Row(n: random.below(60), w: random.below(3))))
            default: (id, .patch(n: random.below(60)))
            }
        }
        run.note("edit \(steps.count)")
        let operations = steps.map { id, step -> TransactionOperation in
            switch step {
            case .delete: .delete(type: "file", id: ReserveWalk.key(id).id)
            case .put(let row): .put(type: "file", resource: Array(row.text(id).utf8))
            case .patch(let n):
                .patch(type: "file", id: ReserveWalk.key(id).id, fields: Array("{\"n\":\(n)}".utf8), unset: [])
            }
        }
        try await fixture.cache.update(
            OptimisticUpdate(pendingID: ByteString("p\(nextLayer)"), library: "a", operations: operations))
        naive.layers.append((name: "p\(nextLayer)", steps: steps))
    }

    private mutating func rollBack() async throws {
        guard !naive.layers.isEmpty else { return }
        let name = naive.layers.remove(at: random.below(naive.layers.count)).name
        run.note("roll back \(name)")
        try await fixture.cache.rollBack(ByteString(name), library: "a")
    }

    // MARK: Observers

    private mutating func observe() async throws {
        guard watchers.count < 6 else { return }
        let list = random.below(naive.rules.count)
        let sink = FoldingSink(keepsTraces: true)
        let selects = random.chance(300)
        run.note("observe \(naive.rules[list].text)\(selects ? ", some fields" : "")")
        let reply = try await fixture.begin(ReserveWalk.input(list), .cacheOnly, sink: sink) {
            if selects { $0.select = ["file": ["id", "n", "w"]] }
        }
        #expect(await eventually { reply.isThere })
        guard let subscription = reply.subscription else { return problems.append("an observer was refused") }
        watchers.append(Watcher(list: list, sink: sink, subscription: subscription, states: [naive.list(list)]))
    }

    private mutating func cancel(_ index: Int) async throws {
        let watcher = watchers.remove(at: index)
        run.note("cancel")
        toldCount += watcher.sink.observer(watcher.subscription)?.toldCount ?? 0
        try await fixture.cache.cancel(watcher.subscription)
    }

    private mutating func changePace() async {
        guard !watchers.isEmpty else { return }
        let index = random.below(watchers.count)
        watchers[index].isSlow.toggle()
        watchers[index].sink.setRoom(watchers[index].isSlow ? 0 : nil)
        run.note(watchers[index].isSlow ? "sleep" : "wake")
        if !watchers[index].isSlow { await fixture.cache.resume(watchers[index].sink) }
    }

    // MARK: Comparing

    private mutating func noteStates() {
        for index in watchers.indices where !watchers[index].states.isEmpty {
            watchers[index].states.insert(naive.list(watchers[index].list))
        }
    }

    private mutating func rest() async throws {
        let cache = fixture.cache
        if entityMax != nil { try await cache.enforceLimits() }
        let isStill = await eventually { await cache.isAtRest }
        if !isStill { problems.append("the cache does not come to rest") }
        guard entityMax != nil else { return }
        // What left both tiers is known to the cache alone; a delete that is pending may hide it.
        for id in naive.base.keys.sorted() {
            guard try await cache.read(ReserveWalk.key(id), fields: nil).entity == nil else { continue }
            if naive.visible(id) != nil || !naive.isLayered(id) { naive.base[id] = nil }
        }
        _ = await eventually { await cache.isAtRest }
    }

    private mutating func compare() async throws {
        await fixture.cache.checkInvariants()
        for watcher in watchers {
            let observer = watcher.sink.observer(watcher.subscription)
            problems += watcher.sink.problems
            let expected = naive.list(watcher.list)
            let seen = observer?.list.map { String(decoding: $0, as: UTF8.self) }
            if !watcher.isSlow, seen != expected {
                problems.append("\(naive.rules[watcher.list].text): \(seen ?? []) instead of \(expected)")
            }
            // Each list that it was ever told was the case once.
            if entityMax == nil, !watcher.states.isEmpty {
                for seen in observer?.trace ?? [] {
                    let texts = seen.list.map { String(decoding: $0, as: UTF8.self) }
                    if !watcher.states.contains(texts) { problems.append("never the case: \(texts)") }
                }
            }
        }
        let list = random.below(naive.rules.count)
        let read = try await fixture.read(ReserveWalk.input(list)).get().texts
        if read != naive.list(list) {
            problems.append("read \(naive.rules[list].text): \(read) instead of \(naive.list(list))")
        }
    }

    mutating func end() async throws {
        while !naive.layers.isEmpty {
            try await rollBack()
            noteStates()
        }
        for index in watchers.indices where watchers[index].isSlow {
            watchers[index].isSlow = false
            watchers[index].sink.setRoom(nil)
            await fixture.cache.resume(watchers[index].sink)
        }
        // Something is committed, so that memory is looked at.
        try await fixture.input.feed([
            EventLine.change(#"{"id":"t"}"#, type: "tag", library: "a")
        ])
        try await fixture.cache.flush()
        try await rest()
        let observed = Set(watchers.map(\.list))
        if memoryMax == 0, observed.allSatisfy({ naive.rules[$0].limit != nil }) {
            let countMax = observed.reduce(0) { sum, list in
                let limit = naive.rules[list].limit ?? 0
                return sum + limit + max(limit, 32)
            }
            let count = await fixture.cache.residentCount
            if count > countMax { problems.append("\(count) entities in memory, where \(countMax) may be pinned") }
        }
        try await compare()
        while !watchers.isEmpty { try await cancel(0) }
        await fixture.cache.checkInvariants()
        try await fixture.cache.close()
    }
}
