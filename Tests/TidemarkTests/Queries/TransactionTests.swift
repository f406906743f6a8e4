import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

private struct Counter: Resource, Equatable {
    static let resourceType = "file"
    var id: String
    var n: Int
}

/// Transactions that read.
@Suite(.pooled) struct TransactionTests {
    private struct Stop: Error {}

    private final class Tally: Sendable {
        let count = Mutex(0)
    }

    private func open(
        _ configure: (inout CacheConfiguration) -> Void = { _ in }
    ) async throws -> QueryFixture {
        try await QueryFixture.open(hasUpstream: false) {
            $0.defaultLibrary = "a"
            configure(&$0)
        }
    }

    private func code(of body: () async throws -> Void) async throws -> CacheError.Code? {
        do {
            try await body()
            return nil
        } catch let error as CacheError {
            return error.code
        }
    }

    @Test(arguments: [0, 256 << 20])
    func `an expected sequence of an absent entity is a conflict, whatever the operation`(
        memoryByteCountMax: Int
    ) async throws {
        let fixture = try await open { $0.memoryByteCountMax = memoryByteCountMax }
        try await fixture.input.feed([Lines.change(1, id: "x"), Lines.change(2, id: "y")])
        try await fixture.cache.flush()
        func code(_ operations: [TransactionOperation], _ expected: [Int: EventSequence?]) async throws -> CacheError
            .Code?
        {
            var expecting = TransactionExpectations()
            expecting.sequences = expected
            return try await self.code {
                try await fixture.cache.transact(operations, library: "a", expecting: expecting)
            }
        }
        let patch = TransactionOperation.patch(type: "file", id: "none", fields: Array("{}".utf8), unset: [])
        let field = TransactionOperation.removeField(type: "file", id: "none", field: "n")
        for operation in [
            patch, field, .delete(type: "file", id: "none"), .patch(type: "new", id: "x", fields: [], unset: []),
        ] {
            #expect(try await code([operation], [0: EventSequence(1)]) == .conflict)
        }
        // The expectation holds, so the error is that of the patch itself.
        #expect(try await code([patch], [:]) == .invalidParams)
        #expect(try await code([patch], [0: nil as EventSequence?]) == .invalidParams)
        let gone: [TransactionOperation] = [
            .delete(type: "file", id: "x"), .patch(type: "file", id: "x", fields: Array("{}".utf8), unset: []),
        ]
        #expect(try await code(gone, [1: EventSequence(1)]) == .invalidParams)
        #expect(try await code(gone, [1: EventSequence(2)]) == .conflict)
    }

    @Test(arguments: [0, 256 << 20])
    func `a transaction sees the stored state and its own changes, which no one else sees`(
        memoryByteCountMax: Int
    ) async throws {
        let fixture = try await open { $0.memoryByteCountMax = memoryByteCountMax }
        let cache = fixture.cache
        try await fixture.input.feed([Lines.change(1, id: "x"), Lines.change(2, id: "y")])
        try await cache.flush()
        try await cache.transaction { transaction in
            #expect(try await transaction.read(Counter.self, id: "x") == Counter(id: "x", n: 1))
            try transaction.patch(Counter.self, id: "x", ["n": 5, "more": true])
            #expect(try await transaction.read(Counter.self, id: "x") == Counter(id: "x", n: 5))
            #expect(try await transaction.read(type: "file", id: "x", fields: ["more"])?.text == #"{"more":true}"#)
            try transaction.removeField(Counter.self, id: "x", "more")
            #expect(try await transaction.read(type: "file", id: "x")?.text == #"{"id":"x","n":5}"#)
            try transaction.delete(type: "file", id: "y")
            #expect(try await transaction.read(Counter.self, id: "y") == nil)
            #expect(try await transaction.read(Counter.self, id: "z") == nil)
            try transaction.put(type: "file", ["id": "z", "n": 9])
            try transaction.patch(type: "file", id: "z", ["n": 10])
            #expect(try await transaction.read(Counter.self, id: "z") == Counter(id: "z", n: 10))
            #expect(try await cache.entity(Counter.self, id: "x") == Counter(id: "x", n: 1))
            #expect(try await cache.entity(Counter.self, id: "z") == nil)
        }
        #expect(try await cache.entity(Counter.self, id: "x") == Counter(id: "x", n: 5))
        #expect(try await cache.entity(Counter.self, id: "y") == nil)
        #expect(try await cache.entity(Counter.self, id: "z") == Counter(id: "z", n: 10))
    }

    @Test func `a body that throws changes nothing, otherwise its result is returned`() async throws {
        let cache = try await open().cache
        await #expect(throws: Stop.self) {
            try await cache.transaction { transaction in
                _ = try await transaction.read(Counter.self, id: "x")
                try transaction.put(Counter(id: "x", n: 1))
                throw Stop()
            }
        }
        #expect(try await cache.entity(Counter.self, id: "x") == nil)
        let sum = try await cache.transaction { transaction in
            try transaction.put(Counter(id: "x", n: 1))
            return try await transaction.read(Counter.self, id: "x").map { $0.n + 1 }
        }
        #expect(sum == 2)
    }

    @Test func `a patch of an absent entity is refused when it is read, as when it is applied`() async throws {
        let cache = try await open().cache
        let code = try await code {
            try await cache.transaction { transaction in
                try transaction.patch(type: "file", id: "x", ["n": 1])
                _ = try await transaction.read(type: "file", id: "x")
            }
        }
        #expect(code == .invalidParams)
        #expect(
            try await self.code { try await cache.transaction { try $0.put(type: "file", ["n": 1]) } } == .invalidParams
        )
    }

    @Test func `observers are notified of a transaction once, after it`() async throws {
        let fixture = try await open()
        let edits = OptimisticFixture(fixture: fixture)
        try await fixture.put([#"{"id":"x","n":1}"#, #"{"id":"y","n":1}"#])
        let list = try await edits.observe()
        try await fixture.cache.transaction { transaction in
            for id in ["x", "y"] {
                var counter = try #require(try await transaction.read(Counter.self, id: id))
                counter.n += 1
                try transaction.put(counter)
            }
            #expect(edits.trace(list).count == 1)
        }
        #expect(edits.trace(list).count == 2)
        #expect(edits.trace(list).last == #"{"id":"x","n":2} {"id":"y","n":2}"#)
    }

    @Test func `a read entity that was changed meanwhile is a conflict, and nothing is applied`() async throws {
        let fixture = try await open { $0.memoryByteCountMax = 0 }
        let cache = fixture.cache
        try await cache.put(Counter(id: "x", n: 1))
        let interferences: [@Sendable () async throws -> Void] = [
            { try await cache.put(Counter(id: "x", n: 7)) },
            { try await cache.transaction { try $0.delete(type: "file", id: "x") } },
            { try await fixture.input.feed([Lines.change(1, id: "x")]) },
            { try await cache.remove(Counter.self, ids: ["x"]) },
            { try await cache.put(Counter(id: "new", n: 7)) },
        ]
        for interfere in interferences {
            try await cache.put(Counter(id: "x", n: 100))
            try await cache.remove(Counter.self, ids: ["new", "y"])
            try await cache.flush()
            let code = try await code {
                try await cache.transaction { transaction in
                    _ = try await transaction.read(Counter.self, id: "x")
                    _ = try await transaction.read(Counter.self, id: "new")
                    try await Task.detached { try await interfere() }.value
                    try transaction.put(Counter(id: "y", n: 1))
                }
            }
            #expect(code == .conflict)
            #expect(try await cache.entity(Counter.self, id: "y") == nil)
        }
    }

    @Test func `changes of other entities, equal writes and pending edits do not conflict`() async throws {
        let fixture = try await open()
        let cache = fixture.cache
        try await cache.put(Counter(id: "x", n: 1))
        let edit = try await cache.optimistically { try $0.patch(Counter.self, id: "x", ["n": 50]) }
        try await cache.transaction { transaction in
            #expect(try await transaction.read(Counter.self, id: "x") == Counter(id: "x", n: 1))
            try await cache.put(Counter(id: "x", n: 1))
            try await cache.put(Counter(id: "other", n: 2))
            try transaction.put(Counter(id: "y", n: 1))
        }
        #expect(try await cache.entity(Counter.self, id: "y") == Counter(id: "y", n: 1))
        try await edit.rollback()
    }

    @Test func `reading a changed entity again is a conflict at once`() async throws {
        let cache = try await open().cache
        try await cache.put(Counter(id: "x", n: 1))
        let runs = Mutex(0)
        let code = try await code {
            try await cache.transaction { transaction in
                _ = try await transaction.read(Counter.self, id: "x")
                try await cache.put(Counter(id: "x", n: 2))
                _ = try await transaction.read(Counter.self, id: "x")
                Issue.record("two values of one entity in one transaction")
            }
        }
        #expect(code == .conflict)
        try await cache.transaction(retrying: 1) { transaction in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            _ = try await transaction.read(Counter.self, id: "x")
            if run == 1 { try await cache.put(Counter(id: "x", n: 3)) }
        }
        #expect(runs.withLock { $0 } == 2)
    }

    @Test func `a transaction inside another one is an error, not a deadlock`() async throws {
        let (cache, other) = (try await open().cache, try await open().cache)
        let code = try await code {
            try await cache.transaction { outer in
                try outer.put(Counter(id: "x", n: 1))
                try await cache.transaction { try $0.put(Counter(id: "y", n: 1)) }
            }
        }
        #expect(code == .invalidParams)
        #expect(try await cache.entity(Counter.self, id: "x") == nil)
        try await cache.transaction { outer in
            try outer.put(Counter(id: "x", n: 1))
            try await other.transaction { try $0.put(Counter(id: "y", n: 1)) }
        }
        #expect(try await cache.entity(Counter.self, id: "x") != nil)
        #expect(try await other.entity(Counter.self, id: "y") != nil)
    }

    @Test func `a transaction does not see the entities that its delete cascades to`() async throws {
        let cache = try await open { $0.policy = CascadeFixture.policy }.cache
        try await cache.put(Counter(id: "2", n: 2))
        try await cache.transaction { transaction in
            try transaction.put(type: "file", ["id": "1", "next": "2"])
            #expect(try await transaction.read(Counter.self, id: "2") != nil)
            try transaction.delete(type: "file", id: "1")
            #expect(try await transaction.read(Counter.self, id: "2") == nil)
        }
        #expect(try await cache.entity(Counter.self, id: "2") == nil)
    }

    @Test func `a hundred transactions at once that count lose nothing`() async throws {
        let cache = try await open().cache
        try await cache.put(Counter(id: "x", n: 0))
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    try await cache.transaction(retrying: 10_000) { transaction in
                        var counter = try #require(try await transaction.read(Counter.self, id: "x"))
                        await Task.yield()
                        counter.n += 1
                        try transaction.put(counter)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await cache.entity(Counter.self, id: "x") == Counter(id: "x", n: 100))
    }

    @Test func `a thousand readers beside a writer see whole transactions only`() async throws {
        let cache = try await open().cache
        for id in ["x", "y"] { try await cache.put(Counter(id: id, n: 0)) }
        // The readers set the pace: each write meets readers under way, and no reader runs again more often than there
        // are writes.
        let done = Tally()
        try await withThrowingTaskGroup { group in
            group.addTask {
                for n in 1...20 {
                    try await cache.transaction { transaction in
                        for id in ["x", "y"] { try transaction.put(Counter(id: id, n: n)) }
                    }
                    while done.count.withLock({ $0 }) < n * 50, !Task.isCancelled { await Task.yield() }
                }
            }
            for _ in 0..<1_000 {
                group.addTask {
                    let (x, y) = try await cache.readTransaction(retrying: 20) { transaction in
                        let x = try await transaction.read(Counter.self, id: "x")
                        await Task.yield()
                        return (x?.n, try await transaction.read(Counter.self, id: "y")?.n)
                    }
                    done.count.withLock { $0 += 1 }
                    #expect(x == y && x != nil)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: TestScale.seeds(30))
    func `random transactions leave the content of a dictionary model`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed ^ 0x7A)
        let memoryByteCountMax = random.chance(600) ? 0 : 256 << 20
        let cache = try await open { $0.memoryByteCountMax = memoryByteCountMax }.cache
        var stored: [String: Int] = [:]
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 40) {
            let plan = (0..<random.below(8)).map { _ in
                (kind: random.below(7), id: "\(random.below(5))", n: random.below(3))
            }
            let (fails, meddled) = (random.chance(200), random.chance(250) ? "\(random.below(5))" : nil)
            var own = stored
            var problems: [String] = []
            let code = try await self.code {
                do {
                    (own, problems) = try await cache.transaction { [own] transaction in
                        var (own, problems) = (own, [String]())
                        for (kind, id, n) in plan {
                            switch kind {
                            case 0: try transaction.put(Counter(id: id, n: n)); own[id] = n
                            case 1 where own[id] != nil:
                                try transaction.patch(type: "file", id: id, ["n": .number(JSONNumber(n))]); own[id] = n
                            case 2: try transaction.delete(type: "file", id: id); own[id] = nil
                            case 3: try transaction.remove(Counter.self, ids: [id]); own[id] = nil
                            case 4: try transaction.remove(matching: "E:\(id)"); own[id] = nil
                            default:
                                let found = try await transaction.read(Counter.self, id: id)?.n
                                if found != own[id] { problems.append("\(id) is \(String(describing: found))") }
                            }
                        }
                        if fails { throw Stop() }
                        return (own, problems)
                    }
                    stored = own
                } catch is Stop {
                    // A transaction that throws changes nothing.
                }
            }
            if let meddled { try await cache.put(Counter(id: meddled, n: walk.step)); stored[meddled] = walk.step }
            if random.chance(300) { try await cache.flush() }
            for id in (0..<5).map(String.init) where try await cache.entity(Counter.self, id: id)?.n != stored[id] {
                problems.append("\(id) is not \(String(describing: stored[id]))")
            }
            if let code { problems.append("the error \(code)") }
            walk.note("\(plan)")
            try walk.check(problems)
        }
    }
}
