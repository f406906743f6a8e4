import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// A resource of the simplest kind.
private struct Note: Resource, Equatable {
    static let resourceType = "note"
    var id: UInt32
    var version = 0
}

@Suite(.pooled) struct ObservationTests {
    private typealias Host = ScriptedObserverHost

    private func element(_ note: Note) -> Host.Element {
        Host.Element(note.id, #"{"id":\#(note.id),"version":\#(note.version)}"#)
    }

    private func notes(_ ids: [UInt32]) -> [Note] { ids.map { Note(id: $0) } }

    private func observation(of host: Host) throws -> QueryObservation<Note> {
        QueryObservation(
            QueryRequest(try QueryKey(library: "", method: "notes.list", input: Array("{}".utf8))), of: host)
    }

    @Test func `the first update has the current list, later ones have changes`() async throws {
        let host = Host(notes([1, 2]).map(element))
        var updates = try observation(of: host).makeAsyncIterator()
        #expect(await host.requests.isEmpty)
        let first = try await updates.next()
        #expect(
            first
                == QueryUpdate(
                    items: notes([1, 2]), changes: [], isStale: false, isPending: false, asOf: nil, missed: 0))
        await host.show([Note(id: 2, version: 1), Note(id: 1), Note(id: 3)].map(element))
        let second = try await updates.next()
        #expect(second?.items == [Note(id: 2, version: 1), Note(id: 1), Note(id: 3)])
        var list = notes([1, 2])
        for change in second?.changes ?? [] { change.apply(to: &list) }
        #expect(list == second?.items)
        #expect(second?.changes.count == 3)
        #expect(await host.observerCount == 1)
    }

    @Test func `every iterator is an observer of its own`() async throws {
        let host = Host(notes([1]).map(element))
        let observation = try observation(of: host)
        var (left, right) = (observation.makeAsyncIterator(), observation.makeAsyncIterator())
        _ = try await left.next()
        _ = try await right.next()
        #expect(await host.observerCount == 2)
        await host.show(notes([1, 2]).map(element))
        #expect(try await left.next()?.items == notes([1, 2]))
        #expect(try await right.next()?.items == notes([1, 2]))
    }

    @Test func `releasing an iterator cancels its observer`() async throws {
        let host = Host(notes([1]).map(element))
        func readOne() async throws {
            for try await update in try observation(of: host) {
                #expect(update.items == notes([1]))
                break
            }
        }
        try await readOne()
        await host.waitUntil { $0.detachCount == 1 }
        #expect(await host.observerCount == 0)
    }

    @Test func `an iterator without a call of next observes nothing`() async throws {
        let host = Host()
        _ = try observation(of: host).makeAsyncIterator()
        #expect(await host.requests.isEmpty)
        #expect(await host.detachCount == 0)
    }

    @Test func `cancelling a task that waits for a change ends its observation`() async throws {
        let host = Host(notes([1]).map(element))
        let observation = try observation(of: host)
        let task = Task {
            var count = 0
            for try await _ in observation { count += 1 }
            return count
        }
        await host.waitUntil { $0.requests.count == 1 }
        task.cancel()
        #expect(try await task.value <= 1)
        #expect(await host.detachCount == 1)
        #expect(await host.observerCount == 0)
    }

    @Test func `cancelling a task that waits for the first answer cancels the observer that comes with it`()
        async throws
    {
        let host = Host(notes([1]).map(element))
        await host.holdReplies()
        let observation = try observation(of: host)
        let task = Task {
            for try await _ in observation { Issue.record("nothing was answered") }
        }
        await host.waitUntil { $0.heldReplyCount == 1 }
        task.cancel()
        try await task.value
        await host.answer()
        await host.waitUntil { $0.detachCount == 2 }
        #expect(await host.observerCount == 0)
    }

    @Test func `a query that cannot be read throws and ends the observation`() async throws {
        let host = Host()
        await host.fail(CacheError(.cacheMiss, "nothing is stored; fetch it"))
        var updates = try observation(of: host).makeAsyncIterator()
        await #expect(throws: CacheError(.cacheMiss, "nothing is stored; fetch it")) { try await updates.next() }
        #expect(try await updates.next() == nil)
    }

    @Test func `an item that does not fit its type throws and ends the observation`() async throws {
        let host = Host(notes([1]).map(element))
        var updates = try observation(of: host).makeAsyncIterator()
        _ = try await updates.next()
        await host.show([Host.Element(1, #"{"id":"one"}"#)])
        await #expect(throws: ResourceDecodingError.self) { try await updates.next() }
        #expect(try await updates.next() == nil)
        #expect(await host.observerCount == 0)
    }

    @Test func `a fetch that fails beside the first answer is reported, and the observation continues`() async throws {
        let host = Host(notes([1]).map(element))
        var updates = try observation(of: host).makeAsyncIterator()
        _ = try await updates.next()
        await host.failFetch(CacheError(.upstreamFailed, "the server is away"))
        let failed = try await updates.next()
        #expect(failed?.fetchError == CacheError(.upstreamFailed, "the server is away"))
        #expect(failed?.items == notes([1]))
        await host.show(notes([1, 2]).map(element))
        let next = try await updates.next()
        #expect(next?.fetchError == nil)
        #expect(next?.items == notes([1, 2]))
    }

    @Test func `a reader that sleeps gets sixteen updates and then one for all the rest`() async throws {
        let host = Host(notes([0]).map(element))
        var updates = try observation(of: host).makeAsyncIterator()
        _ = try await updates.next()
        for version in 1...100 { await host.show([element(Note(id: 0, version: version))]) }
        var seen: [Int] = []
        var missed: [Int] = []
        while seen.last != 100 {
            let update = try #require(try await updates.next())
            seen += update.items.map(\.version)
            missed.append(update.missed)
        }
        #expect(seen == Array(1...16) + [100])
        #expect(missed == Array(repeating: 0, count: 16) + [83])
        #expect(await host.resumeCount == 1)
    }

    @Test(arguments: TestScale.seeds(60))
    func `a reader that applies all changes sees every notified list, however slow`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var list = notes(Array(0..<UInt32(random.below(10))))
        let host = Host(list.map(element))
        var updates = try observation(of: host).makeAsyncIterator()
        var own = try #require(try await updates.next()).items
        #expect(own == list)
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 20) {
            for _ in 0..<random.below(30) {
                for _ in 0..<1 + random.below(3) {
                    let id = UInt32(random.below(20))
                    list.removeAll { $0.id == id }
                    if random.chance(700) {
                        list.insert(Note(id: id, version: random.below(3)), at: random.below(list.count + 1))
                    }
                }
                await host.show(list.map(element))
            }
            // After any notifications, a list with a new element is notified sooner or later.
            list.append(Note(id: UInt32(1_000 + random.below(1 << 30))))
            await host.show(list.map(element))
            while own != list {
                let update = try #require(try await updates.next(), "\(walk)")
                for change in update.changes { change.apply(to: &own) }
                #expect(own == update.items, "\(walk)")
            }
        }
    }

    @Test func `an entity is reported at once and after every change`() async throws {
        let host = Host(entity: #"{"id":1,"version":1}"#)
        let observation = EntityObservation<Note>(EntityRequest(EntityKey(type: "note", id: "1")), of: host)
        var updates = observation.makeAsyncIterator()
        #expect(
            try await updates.next()
                == EntityUpdate(value: Note(id: 1, version: 1), changedFields: [], miss: nil))
        await host.show(entity: #"{"id":1,"version":2}"#, changedFields: ["version"])
        #expect(
            try await updates.next()
                == EntityUpdate(value: Note(id: 1, version: 2), changedFields: ["version"], miss: nil))
        await host.show(entity: nil, changedFields: ["id", "version"])
        #expect(
            try await updates.next() == EntityUpdate(value: nil, changedFields: ["id", "version"], miss: nil))
        #expect(await host.entityKeys == [EntityKey(type: "note", id: "1")])
    }

    @Test func `an absent entity is reported with the reason`() async throws {
        let observation = EntityObservation<Note>(EntityRequest(EntityKey(type: "note", id: "1")), of: Host())
        var updates = observation.makeAsyncIterator()
        #expect(try await updates.next() == EntityUpdate(value: nil, changedFields: [], miss: .absent))
    }
}
