import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel

private struct Counter: Resource, Equatable {
    static let resourceType = "file"
    var id: String
    var n: Int
}

/// Removals inside transactions, the aliases of types, and transactions that only read.
@Suite(.pooled) struct TransactionRemovalTests {
    private struct Stop: Error {}

    private func open(_ configure: (inout CacheConfiguration) -> Void = { _ in }) async throws -> QueryFixture {
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

    private func ids(_ cache: SyncCache, type: String = "file") async throws -> [String] {
        try await cache.entities(type: type).values.map { value in
            guard case .unknown(_, let value) = value else { return "?" }
            return value["id"]?.string ?? "?"
        }
    }

    @Test func `a transaction sees its own changes under every name of a type`() async throws {
        let cache = try await open { $0.typeAliases["entry"] = "file" }.cache
        try await cache.put(Counter(id: "x", n: 1))
        try await cache.transaction { transaction in
            try transaction.patch(Counter.self, id: "x", ["n": 2])
            #expect(try await transaction.read(type: "entry", id: "x")?["n"] == 2)
            try transaction.patch(type: "entry", id: "x", ["n": 3])
            #expect(try await transaction.read(Counter.self, id: "x") == Counter(id: "x", n: 3))
            try transaction.put(type: "entry", ["id": "y", "n": 4])
            #expect(try await transaction.read(Counter.self, id: "y") == Counter(id: "y", n: 4))
            try transaction.delete(type: "entry", id: "x")
            #expect(try await transaction.read(Counter.self, id: "x") == nil)
            try transaction.remove(type: "entry", ids: ["y"])
            #expect(try await transaction.read(Counter.self, id: "y") == nil)
        }
        #expect(try await ids(cache) == [])
        let code = try await code {
            try await cache.transaction { transaction in
                _ = try await transaction.read(type: "entry", id: "z")
                try await cache.put(Counter(id: "z", n: 1))
            }
        }
        #expect(code == .conflict)
    }

    @Test(arguments: [0, 256 << 20])
    func `a removal by ids or by text commits with its transaction, and leaves no tombstone`(
        memoryByteCountMax: Int
    ) async throws {
        let fixture = try await open { $0.memoryByteCountMax = memoryByteCountMax }
        let cache = fixture.cache
        try await fixture.input.feed((1...3).map { Lines.change($0, id: "old\($0)") })
        try await cache.put(Counter(id: "kept", n: 1))
        try await cache.flush()
        await #expect(throws: Stop.self) {
            try await cache.transaction { transaction in
                try transaction.remove(matching: "OLD")
                throw Stop()
            }
        }
        #expect(try await ids(cache) == ["kept", "old1", "old2", "old3"])
        try await cache.transaction { transaction in
            try transaction.put(Counter(id: "older", n: 1))
            try transaction.remove(Counter.self, ids: ["old1", "never"])
            #expect(try await transaction.read(Counter.self, id: "old1") == nil)
            #expect(try await transaction.read(Counter.self, id: "old2") != nil)
            try transaction.delete(type: "file", id: "old2")
            try transaction.remove(matching: "OLD", type: "file")
            #expect(try await transaction.read(Counter.self, id: "older") == nil)
            #expect(try await transaction.read(Counter.self, id: "old3") == nil)
            #expect(try await transaction.read(Counter.self, id: "kept") != nil)
            try transaction.put(Counter(id: "old3", n: 30))
            #expect(try await transaction.read(Counter.self, id: "old3") == Counter(id: "old3", n: 30))
            #expect(try await ids(cache) == ["kept", "old1", "old2", "old3"])
        }
        #expect(try await ids(cache) == ["kept", "old3"])
        #expect(await cache.entityCount() == 2)
        // Removing and deleting differ.
        func miss(_ id: ByteString) async throws -> EntityRead.Miss? {
            try await cache.read(EntityRequest(EntityKey(library: "a", type: "file", id: id))).miss
        }
        #expect(try await miss("old1") == .absent)
        #expect(try await miss("old2") == .deleted)
        try await cache.flush()
        #expect(try await ids(cache) == ["kept", "old3"])
    }

    @Test func `an empty text without a type removes nothing`() async throws {
        let cache = try await open().cache
        try await cache.put(Counter(id: "x", n: 1))
        let error = await #expect(throws: CacheError.self) {
            try await cache.transaction { try $0.remove(matching: "") }
        }
        #expect(error?.code == .invalidParams)
        #expect(try await ids(cache) == ["x"])
    }

    @Test func `a text is matched literally, and only ASCII letters match in either case`() async throws {
        let cache = try await open().cache
        let all = ["50%", "5000", "a*b", "aXb", "a_b", "É1", "é2", "Straße", "x.y", "[a]"]
        let cases: [(String, [String])] = [
            ("0%", ["50%"]), ("a_b", ["a_b"]), ("A*B", ["a*b"]), ("axb", ["aXb"]), ("é", ["é2"]), ("É", ["É1"]),
            ("STRASSE", []), ("STRAß", ["Straße"]), (".", ["x.y"]), ("[a", ["[a]"]), ("FILE:5", ["50%", "5000"]),
            ("file:", all), ("", all), ("\\", []),
        ]
        for (text, gone) in cases {
            for id in all { try await cache.put(Counter(id: id, n: 1)) }
            // An empty text is refused without a type.
            try await cache.transaction { try $0.remove(matching: text, type: text.isEmpty ? "file" : nil) }
            #expect(try await Set(ids(cache)) == Set(all).subtracting(gone), "matching \(text)")
            for id in all { try await cache.put(Counter(id: id, n: 1)) }
            var removal = Removal(library: "a")
            removal.matching = ByteString(text)
            #expect(try await cache.remove(removal) == gone.count, "matching \(text)")
        }
    }

    @Test func `observers lose the removed entities of a transaction in one notification`() async throws {
        let fixture = try await open()
        let edits = OptimisticFixture(fixture: fixture)
        try await fixture.put([#"{"id":"x","n":1}"#, #"{"id":"y","n":1}"#])
        let list = try await edits.observe()
        try await fixture.cache.transaction { transaction in
            try transaction.patch(type: "file", id: "y", ["n": 2])
            try transaction.remove(matching: "file:X")
        }
        #expect(edits.trace(list).count == 2)
        #expect(edits.trace(list).last == #"! {"id":"y","n":2}"#)
    }

    @Test func `an optimistic edit cannot remove, and a removal names its entities`() async throws {
        let cache = try await open().cache
        #expect(
            try await code { _ = try await cache.optimistically { try $0.remove(Counter.self, ids: ["x"]) } }
                == .invalidParams)
        #expect(
            try await code { _ = try await cache.optimistically { try $0.remove(matching: "x") } } == .invalidParams)
        for operation in [
            TransactionOperation.remove(type: nil, ids: nil, matching: nil),
            .remove(type: nil, ids: ["x"], matching: "x"), .remove(type: "file", ids: [""], matching: nil),
        ] {
            #expect(try await code { try await cache.transact([operation], library: "a") } == .invalidParams)
        }
    }

    @Test func `reads of one transaction are consistent, or it runs again, or is a conflict`() async throws {
        let cache = try await open().cache
        for id in ["x", "y"] { try await cache.put(Counter(id: id, n: 1)) }
        let runs = Mutex(0)
        let sum = try await cache.readTransaction { transaction in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            let x = try await transaction.read(Counter.self, id: "x")?.n
            if run == 1 { for id in ["x", "y"] { try await cache.put(Counter(id: id, n: 2)) } }
            let y = try await transaction.read(type: "file", id: "y", fields: ["n"])?["n"]?.number?.text
            return "\(x ?? 0) \(y ?? "-")"
        }
        #expect(sum == "2 2")
        #expect(runs.withLock { $0 } == 2)
        let code = try await code {
            _ = try await cache.readTransaction(retrying: 2) { transaction in
                _ = try await transaction.read(Counter.self, id: "x")
                try await cache.put(
                    Counter(
                        id: "x",
                        n: runs.withLock {
                            $0 += 1; return $0
                        }))
            }
        }
        #expect(code == .conflict)
        #expect(runs.withLock { $0 } == 5)
        #expect(
            try await self.code {
                try await cache.readTransaction { _ in try await cache.transaction { _ in } }
            } == .invalidParams)
    }
}
