import Logging
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// The engine with its journal, upstream and observers, some of them slow, against a model that evaluates everything
/// anew. An entity that is not observed stays in memory no longer than a flush. Laws: L6, L9, L10.
@Suite(.tags(.model), .pooled) struct QueryEngineModelTests {
    @Test(arguments: TestScale.seeds(12))
    func `with a journal in memory every observer, however slow, ends up with a read's list`(seed: UInt64) async throws
    {
        let store = MemoryJournal.Store()
        try await walk(seed: seed) { MemoryJournal(store: store) }
    }

    @Test(arguments: TestScale.seeds(4))
    func `with a journal on disk every observer, however slow, ends up with a read's list`(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        try await walk(seed: seed &+ 500) { try await SQLiteJournal.open(path: folder.path("cache.db")) }
    }

    /// The tiers in use.
    private enum Tiers {
        /// Memory with a journal under it, mostly with almost no memory.
        case both
        case memoryOnly
        case diskOnly
    }

    @Test(arguments: TestScale.seeds(6))
    func `with everything in memory alone results are the same`(seed: UInt64) async throws {
        let store = MemoryJournal.Store()
        try await walk(seed: seed &+ 900, .memoryOnly) { MemoryJournal(store: store) }
        #expect(await MemoryJournal(store: store).stored().isEmpty)
        #expect(await MemoryJournal(store: store).queries().isEmpty)
    }

    @Test(arguments: TestScale.seeds(4))
    func `with everything on the disk alone results are the same`(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        try await walk(seed: seed &+ 1_300, .diskOnly) { try await SQLiteJournal.open(path: folder.path("cache.db")) }
    }

    /// A fast and a slow observer of one query, made in one step. In every other walk both are slow, each at its own
    /// times: changes that no observer gets at once are logged differently.
    private struct Pair {
        var fast: SubscriptionID
        var slow: SubscriptionID
    }

    private func walk(
        seed: UInt64, _ tiers: Tiers = .both, _ open: () async throws -> any Journal
    ) async throws {
        var random = SeededGenerator(seed: seed ^ 0xE4E4)
        let queryCountMax = random.chance(300) ? 2 : 100_000
        let memoryByteCountMax = random.chance(800) ? 0 : 256 << 20
        let areAllSlow = random.chance(500)
        let clock = ManualClock()
        func reopened() async throws -> QueryFixture {
            try await QueryFixture.open(try await open(), clock: clock) {
                $0.limits.queryCountMax = queryCountMax
                $0.memoryByteCountMax = tiers == .both ? memoryByteCountMax : 256 << 20
                // The types are named as on the wire.
                if tiers == .memoryOnly { $0.diskExcludedTypes = ["file", "tag"] }
                if tiers == .diskOnly { $0.memoryExcludedTypes = ["file", "tag"] }
                $0.fetchTimeout = .milliseconds(1 << 40)
            }
        }
        var fixture = try await reopened()
        var (fast, slow) = (FoldingSink(), FoldingSink())
        var pairs: [ReferenceQueryName: Pair] = [:]
        var replies: [ReferenceQueryName: Reply] = [:]
        var generator = CacheOperationGenerator(seed: seed)
        var model = ReferenceCache(now: clock.now(), queryCountMax: queryCountMax)
        var run = RandomWalk(seed: seed)
        while run.next(of: 100) {
            var operation = generator.next(model)
            // A local query has no upstream to ask.
            if case .beginFetch(let name) = operation, model.queries[name]?.isLocal == true {
                operation = .wait(milliseconds: 1)
            }
            run.note("\(operation)")
            slow.setRoom(random.pick([0, 0, 0, 1, nil]))
            if random.chance(300) { await fixture.cache.resume(slow) }
            if areAllSlow {
                fast.setRoom(random.pick([0, 0, 0, 0, 1]))
                if random.chance(100) { await fixture.cache.resume(fast) }
            }
            let wanted = try model.perform(operation)
            let found = try await fixture.perform(operation, &replies)
            var problems = found == wanted ? [] : ["\(found), not \(wanted)"]
            for name in generator.names {
                problems += try await compare(name, fixture, &model)
                if !areAllSlow, let pair = pairs[name] { problems += await compare(pair.fast, fast, name, model) }
            }
            if random.chance(150) {
                slow.setRoom(nil)
                if random.chance(500) {
                    await fixture.cache.resume(slow)
                } else {
                    await fixture.cache.deliverAll(to: slow)
                }
                if areAllSlow, random.chance(500) { await fixture.cache.deliverAll(to: fast) }
                for (name, pair) in pairs {
                    problems += await compare(pair.slow, slow, name, model)
                    if areAllSlow { continue }
                    problems += counts(fast.observer(pair.fast), slow.observer(pair.slow))
                }
            }
            problems += fast.problems + slow.problems
            try run.check(problems)
            if random.chance(120) {
                let name = random.pick(generator.names)
                if let pair = pairs.removeValue(forKey: name) {
                    try await fixture.cache.cancel(pair.fast)
                    try await fixture.cache.cancel(pair.slow)
                    fast.forget(pair.fast)
                    slow.forget(pair.slow)
                    model.stopObserving(name)
                } else {
                    let list = model.read(name)
                    let (left, right) = (
                        try await observe(name, fixture, fast), try await observe(name, fixture, slow)
                    )
                    if let left, let right {
                        pairs[name] = Pair(fast: left, slow: right)
                        model.observed.insert(name)
                    } else if list?.isPartial == false {
                        Issue.record("\(run): \(list.debugDescription) cannot be observed")
                    }
                }
            }
            if random.chance(250) { try await fixture.cache.flush() }
            if tiers != .memoryOnly, random.chance(20) {
                try await fixture.cache.close()
                fixture = try await reopened()
                (fast, slow, pairs, replies) = (FoldingSink(), FoldingSink(), [:], [:])
                model.restart()
            }
        }
        try await fixture.cache.close()
    }

    private func counts(_ fast: FoldingSink.Observer?, _ slow: FoldingSink.Observer?) -> [String] {
        guard let fast, let slow, slow.toldCount + slow.missedCount > fast.toldCount else { return [] }
        return ["\(slow.toldCount) told and \(slow.missedCount) missed of \(fast.toldCount)"]
    }

    private func observe(
        _ name: ReferenceQueryName, _ fixture: QueryFixture, _ sink: FoldingSink
    ) async throws -> SubscriptionID? {
        let reply = Reply()
        var request = QueryRequest(try QueryFixture.key(name), policy: .cacheOnly)
        request.allowsStale = true
        await fixture.cache.read(request, observing: sink, reply: { reply.take($0, sink) }, later: { _ in })
        #expect(await eventually { reply.isThere })
        return reply.subscription
    }

    private func compare(
        _ name: ReferenceQueryName, _ fixture: QueryFixture, _ model: inout ReferenceCache
    ) async throws -> [String] {
        let wanted = model.read(name)
        let reply = Reply()
        var request = QueryRequest(try QueryFixture.key(name), policy: .cacheOnly)
        request.allowsStale = true
        await fixture.cache.read(request, observing: nil, reply: { reply.take($0, nil) }, later: { _ in })
        #expect(await eventually { reply.isThere })
        let text = String(decoding: name.input, as: UTF8.self)
        switch try #require(reply.replies.first) {
        case .success(let read):
            let found = ReferenceList(
                ids: read.answer.keys.map(\.id.bytes), resources: read.answer.entities,
                isStale: read.answer.isStale, isPartial: false, asOf: read.answer.asOf?.rawValue)
            if found == wanted { return [] }
            return ["\(text) is \(read.texts), stale \(found.isStale), not \(describe(wanted))"]
        case .failure(let error):
            if wanted == nil || wanted?.isPartial == true, error.code == .cacheMiss { return [] }
            return ["\(text) is \(error), not \(describe(wanted))"]
        }
    }

    private func compare(
        _ subscription: SubscriptionID, _ sink: FoldingSink, _ name: ReferenceQueryName, _ model: ReferenceCache
    ) async -> [String] {
        let wanted = model.list(name)
        // A list expires when a timer fires.
        let isRight = await eventually {
            guard let observer = sink.observer(subscription) else { return false }
            return observer.list == wanted?.resources ?? [] && observer.isStale == wanted?.isStale ?? true
        }
        if isRight { return [] }
        let observer = sink.observer(subscription)
        return [
            "an observer of \(String(decoding: name.input, as: UTF8.self)) saw "
                + "\((observer?.list ?? []).map { String(decoding: $0, as: UTF8.self) }), stale "
                + "\(observer?.isStale ?? true); it is \(describe(wanted))"
        ]
    }

    private func describe(_ list: ReferenceList?) -> String {
        guard let list else { return "nothing" }
        return "\(list.resources.map { String(decoding: $0, as: UTF8.self) }) stale \(list.isStale) "
            + "partial \(list.isPartial) as of \(list.asOf.map { "\($0)" } ?? "-")"
    }
}
