import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

/// Entities that would be larger than the limit, which is 100 bytes here.
///
/// - Source: Protocol/limits.md, the size of an entity.
@Suite(.pooled) struct EntitySizeTests {
    private static let byteCountMax = 100

    private func open(
        _ journal: MemoryJournal = MemoryJournal(), hasUpstream: Bool = false, byteCountMax: Int = byteCountMax
    ) async throws -> QueryFixture {
        try await QueryFixture.open(journal, hasUpstream: hasUpstream) {
            $0.defaultLibrary = "a"
            $0.limits.entityByteCountMax = byteCountMax
        }
    }

    private func resource(_ id: String, _ field: String = "x", count: Int = 60) -> String {
        #"{"id":"\#(id)","\#(field)":"\#(String(repeating: "s", count: count))"}"#
    }

    private func change(
        _ sequence: Int?, _ resource: String, merging: String? = nil, mutation: String? = nil
    ) -> String {
        EventLine.change(
            resource, metadata: merging, library: "a", sequence: sequence.map { Int64($0) }, mutation: mutation)
    }

    private func extended(_ resource: String, _ rest: String) -> String { String(resource.dropLast()) + rest }

    private func text(_ id: String, in cache: SyncCache) async throws -> String? {
        guard case .found(let resource) = try await cache.entity(Lines.key(id)) else { return nil }
        return String(decoding: resource.bytes, as: UTF8.self)
    }

    private func lost(_ cache: SyncCache) async -> [[ClosedRange<Int64>]] {
        await cache.libraries().map { $0.lost.map { $0.first.rawValue...$0.last.rawValue } }
    }

    private func code(of body: () async throws -> Void) async throws -> CacheError.Code? {
        do {
            try await body()
            return nil
        } catch let error as CacheError {
            return error.code
        }
    }

    // MARK: Events

    @Test func `an event whose merge is too large is quarantined, and its number is lost`() async throws {
        let journal = MemoryJournal()
        let fixture = try await open(journal)
        try await fixture.put([resource("1", count: 5)])
        try await fixture.input.feed([
            change(1, resource("1")), change(2, resource("1", "y"), merging: "{}"), change(3, resource("2")),
        ])
        #expect(try await text("1", in: fixture.cache) == resource("1"))
        #expect(try await text("2", in: fixture.cache) == resource("2"))
        #expect(await lost(fixture.cache) == [[2...2]])
        let status = await fixture.cache.libraries()
        #expect(status.map(\.phase) == [.stale] && status.map(\.cursor) == [EventSequence(3)])
        #expect(try await fixture.isStale() == true)
        let counts = await fixture.cache.counts()
        #expect(counts.applied == 2 && counts.quarantined == 1 && counts.isConserved())
        try await fixture.cache.flush()
        let record = try #require(await journal.quarantine().first)
        #expect(record.reason == .tooLarge && record.line == 2 && record.sequence == EventSequence(2))
        #expect(record.isComplete && record.bytes == Array(change(2, resource("1", "y"), merging: "{}").utf8))
        try await fixture.cache.close()
    }

    @Test func `a held event that is too large is quarantined when its gap closes`() async throws {
        let journal = MemoryJournal()
        let fixture = try await open(journal)
        try await fixture.input.feed([
            change(1, resource("1")), change(3, resource("1", "y"), merging: "{}"), change(4, resource("4")),
            change(2, resource("2")),
        ])
        #expect(try await text("1", in: fixture.cache) == resource("1"))
        #expect(try await text("4", in: fixture.cache) == resource("4"))
        #expect(await lost(fixture.cache) == [[3...3]])
        try await fixture.cache.flush()
        let record = try #require(await journal.quarantine().first)
        // The event's line is no longer available.
        #expect(record.reason == .tooLarge && record.line == 2 && !record.isComplete)
        #expect(await fixture.cache.counts().isConserved())
        try await fixture.cache.close()
    }

    @Test func `a member of a batch that grows too large is quarantined alone`() async throws {
        let journal = MemoryJournal()
        let fixture = try await open(journal)
        try await fixture.input.feed([
            change(1, resource("1")),
            #"{"library_id":"a","sequence":2,"event":{"BatchChanged":{"resource_type":"file","metadata":{},"resources":["#
                + resource("0") + "," + resource("1", "y") + "," + resource("1", "x", count: 2) + "]}}}",
        ])
        #expect(try await text("0", in: fixture.cache) == resource("0"))
        #expect(try await text("1", in: fixture.cache) == resource("1", "x", count: 2))
        #expect(await lost(fixture.cache) == [[]])
        let counts = await fixture.cache.counts()
        #expect(counts.applied == 2 && counts.quarantined == 0 && counts.membersQuarantined == 1)
        try await fixture.cache.flush()
        #expect(await journal.quarantine().map(\.kind) == [.member])
        #expect(await journal.quarantine().map(\.reason) == [.tooLarge])
        try await fixture.cache.close()
    }

    @Test(arguments: [nil, 2])
    func `neither an alternate id nor a single resource makes an entity too large`(sequence: Int?) async throws {
        let fixture = try await open()
        try await fixture.input.feed([change(1, resource("1"))])
        try await fixture.input.feed([
            change(sequence, resource("9", "y"), merging: #"{"alternate_ids":["1"]}"#),
            change(sequence.map { $0 + 1 }, resource("8", count: 100)),
        ])
        #expect(try await text("1", in: fixture.cache) == resource("1"))
        #expect(try await text("8", in: fixture.cache) == nil)
        let ranges: [[ClosedRange<Int64>]] = sequence == nil ? [[]] : [[2...3]]
        #expect(await lost(fixture.cache) == ranges)
        #expect(await fixture.cache.counts().quarantined == 2)
        try await fixture.cache.close()
    }

    @Test func `a mutation whose event is quarantined stays pending`() async throws {
        let fixture = try await open()
        try await fixture.input.feed([change(1, resource("1"))])
        try await fixture.cache.update(
            OptimisticUpdate(
                pendingID: "p", library: "a",
                operations: [.patch(type: "file", id: "1", fields: Array(#"{"y":1}"#.utf8), unset: [])]))
        try await fixture.input.feed([change(2, resource("1", "y"), merging: "{}", mutation: "p")])
        #expect(await fixture.cache.pendingLayers().map(\.pendingID) == ["p"])
        #expect(await lost(fixture.cache) == [[2...2]])
        try await fixture.cache.close()
    }

    // MARK: Quarantine

    @Test func `a line that was too large takes effect once there is room, and not before`() async throws {
        let store = MemoryJournal.Store()
        let first = try await open(MemoryJournal(store: store))
        try await first.input.feed([
            change(1, resource("1")), change(2, resource("1", "y"), merging: "{}"), change(3, resource("3")),
        ])
        try await first.cache.close()
        var journal = MemoryJournal(store: store)
        let second = try await open(journal)
        var counts = try await second.cache.retry(await journal.quarantine())
        #expect([counts.applied, counts.superseded, counts.refused] == [0, 0, 1])
        #expect(await lost(second.cache) == [[2...2]])
        try await second.cache.close()
        journal = MemoryJournal(store: store)
        let third = try await open(journal, byteCountMax: 1_000)
        counts = try await third.cache.retry(await journal.quarantine())
        #expect([counts.applied, counts.superseded, counts.refused] == [1, 0, 0])
        #expect(await lost(third.cache) == [[]])
        let merged = extended(resource("1"), #","y":""# + String(repeating: "s", count: 60) + #""}"#)
        #expect(try await text("1", in: third.cache) == merged)
        try await third.cache.flush()
        #expect(await journal.quarantine().isEmpty)
        try await third.cache.close()
    }

    // MARK: Requests

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `a transaction that would make an entity too large changes nothing`() async throws {
        let fixture = try await open()
        let cache = fixture.cache
        try await fixture.input.feed([change(1, resource("1"))])
        let fields = bytes(#"{"y":"\#(String(repeating: "s", count: 60))"}"#)
        for last: TransactionOperation in [
            .put(type: "file", resource: bytes(resource("2", count: 100))),
            .patch(type: "file", id: "1", fields: fields, unset: []),
        ] {
            let small = TransactionOperation.put(type: "file", resource: bytes(resource("3")))
            #expect(try await code { try await cache.transact([small, last], library: "a") } == .limitExceeded)
            #expect(try await text("3", in: cache) == nil)
        }
        let patch = TransactionOperation.patch(type: "file", id: "1", fields: bytes(#"{"y":1}"#), unset: [])
        try await cache.transact([patch], library: "a")
        #expect(try await text("1", in: cache) == extended(resource("1"), #","y":1}"#))
        try await cache.close()
    }

    @Test func `an answer that would make an entity too large is not stored`() async throws {
        let fixture = try await open(hasUpstream: true)
        try await fixture.input.feed([change(1, resource("1"))])
        let bad = [resource("3"), resource("1", "y")]
        #expect(try await code { try await fixture.put(bad) } == .limitExceeded)
        // One entity is in the list and in the included entities: each resource fits, both together do not.
        #expect(
            try await code {
                try await fixture.put([resource("4")]) {
                    $0.included = [.init(resourceType: "file", resources: [bytes(resource("4", "y"))])]
                }
            } == .limitExceeded)
        let reply = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(1)
        await fixture.upstream.answer(.success(QueryFixture.result(bad)))
        #expect(await eventually { reply.isThere })
        guard case .failure(let error)? = reply.replies.first else {
            Issue.record("an answer that is too large was given")
            return
        }
        #expect(error.code == .limitExceeded)
        for id in ["3", "4"] { #expect(try await text(id, in: fixture.cache) == nil) }
        #expect(try await fixture.stored() == nil)
        try await fixture.put([resource("3")])
        try await fixture.cache.close()
    }

    @Test func `an edit that would show too large an entity is refused`() async throws {
        let fixture = try await open()
        let cache = fixture.cache
        try await fixture.input.feed([change(1, resource("1"))])
        let fields = bytes(#"{"y":"\#(String(repeating: "s", count: 60))"}"#)
        for operations: [TransactionOperation] in [
            [.put(type: "file", resource: bytes(resource("2", count: 100)))],
            [.patch(type: "file", id: "1", fields: fields, unset: [])],
            [
                .put(type: "file", resource: bytes(resource("2"))),
                .patch(type: "file", id: "2", fields: fields, unset: []),
            ],
        ] {
            let update = OptimisticUpdate(pendingID: "p", library: "a", operations: operations)
            #expect(try await code { try await cache.update(update) } == .limitExceeded)
            #expect(await cache.pendingLayers().isEmpty)
        }
        let put = TransactionOperation.put(type: "file", resource: bytes(resource("2")))
        try await cache.update(OptimisticUpdate(pendingID: "p", library: "a", operations: [put]))
        let patch = TransactionOperation.patch(type: "file", id: "2", fields: fields, unset: [])
        let over = OptimisticUpdate(pendingID: "q", library: "a", operations: [patch])
        #expect(try await code { try await cache.update(over) } == .limitExceeded)
        try await cache.close()
    }

    @Test func `a confirmation that would make an entity too large is refused whole, and the edit stays`() async throws
    {
        let fixture = try await open()
        let cache = fixture.cache
        try await fixture.input.feed([change(1, resource("1"))])
        let put = TransactionOperation.put(type: "file", resource: bytes(#"{"id":"t"}"#))
        try await cache.update(OptimisticUpdate(pendingID: "p", library: "a", operations: [put]))
        for confirmed in [
            [resource("3"), resource("1", "y")], [resource("4", "x"), resource("4", "y")], [resource("4", count: 100)],
        ] {
            let commit = OptimisticCommit(pendingID: "p", confirmed: confirmed.map { bytes($0) }, resourceType: "file")
            #expect(try await code { try await cache.commit(commit) } == .limitExceeded)
            #expect(await cache.pendingLayers().map(\.pendingID) == ["p"])
        }
        for id in ["3", "4"] { #expect(try await text(id, in: cache) == nil) }
        try await cache.commit(
            OptimisticCommit(pendingID: "p", confirmed: [bytes(resource("3"))], resourceType: "file"))
        #expect(try await text("3", in: cache) == resource("3"))
        try await cache.close()
    }

    @Test
    func `a real id that would make a stored entity too large is refused, and so is one that layers have no room for`()
        async throws
    {
        let fixture = try await open()
        let cache = fixture.cache
        try await fixture.input.feed([change(1, resource("t", count: 70))])
        let patch = TransactionOperation.patch(type: "file", id: "t", fields: bytes(#"{"y":1}"#), unset: [])
        try await cache.update(OptimisticUpdate(pendingID: "p", library: "a", operations: [patch]))
        let long = ByteString(String(repeating: "r", count: 30))
        let commit = OptimisticCommit(pendingID: "p", realIDs: ["t": long])
        #expect(try await code { try await cache.commit(commit) } == .limitExceeded)
        #expect(try await text("t", in: cache) == extended(resource("t", count: 70), #","y":1}"#))
        try await cache.commit(OptimisticCommit(pendingID: "p", realIDs: ["t": "u"]))
        #expect(try await text("u", in: cache) == extended(resource("u", count: 70), #","y":1}"#))
        try await cache.close()

        let full = try await QueryFixture.open(hasUpstream: false) { $0.limits.layerByteCountMax = 1_000 }
        let puts = (0..<10).map { _ in TransactionOperation.put(type: "file", resource: bytes(#"{"id":"t"}"#)) }
        try await full.cache.update(OptimisticUpdate(pendingID: "p", library: "a", operations: puts))
        let longer = ByteString(String(repeating: "r", count: 900))
        let waiting = OptimisticCommit(pendingID: "p", realIDs: ["t": longer])
        #expect(try await code { try await full.cache.commit(waiting) } == .limitExceeded)
        try await full.cache.commit(OptimisticCommit(pendingID: "p", realIDs: ["t": "real"]))
        try await full.cache.close()
    }
}
