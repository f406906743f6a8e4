import Logging
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkTesting

/// Edits that the cache sends by itself, with a server in the same process.
@Suite(.pooled) struct OutboxTests {
    struct Photo: Resource, Codable {
        static let resourceType = "photo"
        var id: String
        var name: String
    }

    @Test func `an edit is sent, and what the server stored takes its place`() async throws {
        let server = ScriptedMutations()
        let cache = try await SyncCache.inMemory(mutationUpstream: server)
        let request = MutationRequest(method: "photos.rename", input: ["id": "1"])
        let edit = try await cache.optimistically(sending: request) { changes in
            try changes.put(Photo(id: "1", name: "sea"))
        }
        let sent = await server.next()
        #expect(sent.pendingID.description == edit.pendingID)
        #expect(sent.method == "photos.rename")
        #expect(sent.input == Array(#"{"id":"1"}"#.utf8))
        #expect(sent.attempt == 1)
        #expect(await cache.outboxStatuses().map(\.state) == [.sending])
        let confirmation = OptimisticConfirmation(Photo(id: "1", name: "open sea"), sequence: EventSequence(3))
        await server.answer(.success(try OptimisticCommit(confirmation, to: sent)))
        try await cache.outboxIsEmpty()
        #expect(try await cache.entity(Photo.self, id: "1")?.name == "open sea")
        #expect(await edit.state == nil)
        try await cache.close()
    }

    @Test func `an attempt without an answer ends after the time of a fetch, and a late answer has no effect`()
        async throws
    {
        let server = ScriptedMutations()
        let clock = ManualClock()
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        configuration.random = { 500 }
        let cache = try await SyncCache.inMemory(configuration: configuration, mutationUpstream: server, clock: clock)
        // The memory journal needs no time, so that the only sleepers are those of the outbox.
        _ = try await cache.optimistically(sending: MutationRequest(method: "m", input: 1)) { changes in
            try changes.put(Photo(id: "1", name: "sea"))
        }
        #expect(await server.next().attempt == 1)
        let start = clock.now()
        // The timer may not sleep yet, so that one step of the clock could pass before it.
        while await cache.outboxStatuses().first?.state == .sending {
            clock.advance(milliseconds: 1_000)
            try await letOthersRun()
        }
        let waiting = try #require(await cache.outboxStatuses().first)
        #expect(waiting.state == .waiting)
        #expect((waiting.nextAttemptAt ?? 0) >= start + 30_500)
        #expect(waiting.failure?.code == "timed_out")
        await server.answer(.success(OptimisticCommit(pendingID: "", confirmed: [])))
        while await !server.wasSent {
            clock.advance(milliseconds: 50)
            try await letOthersRun()
        }
        #expect(await server.next().attempt == 2)
        await server.answer(.success(OptimisticCommit(pendingID: "", confirmed: [])))
        try await cache.outboxIsEmpty()
        try await cache.close()
    }

    /// A line of the library of photos.
    private func line(_ epoch: String, _ sequence: Int, _ resource: String) -> [UInt8] {
        let line = EventLine.change(
            resource, type: "photo", library: "", sequence: Int64(sequence), epoch: epoch)
        return Array((line + "\n").utf8)
    }

    @Test func `an answer to a request from before a new log does not overwrite what the new log wrote`() async throws {
        let server = ScriptedMutations()
        let cache = try await SyncCache.inMemory(mutationUpstream: server)
        try await cache.ingest(line("e1", 50, #"{"id":"1","name":"pond"}"#))
        _ = try await cache.optimistically(sending: MutationRequest(method: "m", input: 1)) { changes in
            try changes.put(Photo(id: "1", name: "lake"))
            try changes.put(Photo(id: "2", name: "sea"))
        }
        let sent = await server.next()
        try await cache.ingest(line("e2", 1, #"{"id":"1","name":"ocean"}"#))
        await server.answer(
            .success(
                OptimisticCommit(
                    pendingID: sent.pendingID,
                    confirmed: [Array(#"{"id":"1","name":"lake"}"#.utf8), Array(#"{"id":"2","name":"sea"}"#.utf8)],
                    resourceType: "photo", sequence: EventSequence(52))))
        try await cache.outboxIsEmpty()
        #expect(try await cache.entity(Photo.self, id: "1")?.name == "ocean")
        #expect(try await cache.entity(Photo.self, id: "2")?.name == "sea")
        // The answer's number holds nothing off in the new log.
        try await cache.ingest(line("e2", 2, #"{"id":"2","name":"bay"}"#))
        try await cache.ingest(line("e2", 3, #"{"id":"1","name":"gulf"}"#))
        #expect(try await cache.entity(Photo.self, id: "1")?.name == "gulf")
        #expect(try await cache.entity(Photo.self, id: "2")?.name == "bay")
        try await cache.close()
    }

    @Test func `an edit whose answer names a place in an ended log settles with the first write of the new log`()
        async throws
    {
        let server = ScriptedMutations()
        let cache = try await SyncCache.inMemory(mutationUpstream: server)
        try await cache.ingest(line("e1", 50, #"{"id":"1","name":"pond"}"#))
        let edit = try await cache.optimistically(sending: MutationRequest(method: "m", input: 1)) { changes in
            try changes.put(Photo(id: "1", name: "lake"))
        }
        let sent = await server.next()
        try await cache.ingest(line("e2", 60, #"{"id":"2","name":"ocean"}"#))
        await server.answer(.success(OptimisticCommit(pendingID: sent.pendingID, sequence: EventSequence(52))))
        try await cache.outboxIsEmpty()
        // The cursor is past 52, but of another log.
        #expect(try await cache.entity(Photo.self, id: "1")?.name == "lake")
        #expect(await edit.state == .confirmed)
        try await cache.ingest(line("e2", 61, #"{"id":"1","name":"lagoon"}"#))
        #expect(await edit.state == nil)
        #expect(try await cache.entity(Photo.self, id: "1")?.name == "lagoon")
        try await cache.close()
    }

    @Test func `the place in an answer belongs to the log of the moment when the request left`() async throws {
        let server = ScriptedMutations()
        let journal = MemoryJournal()
        let cache = try await SyncCache.open(
            configuration: CacheConfiguration(), journal: journal, mutationUpstream: server)
        try await cache.ingest(line("e1", 50, #"{"id":"1","name":"pond"}"#))
        await journal.pause()
        let laying = Task {
            try await cache.optimistically(sending: MutationRequest(method: "m", input: 1)) { changes in
                try changes.put(Photo(id: "1", name: "lake"))
            }
        }
        // The attempt is begun, and waits for the disk.
        await journal.waitUntilHeld()
        try await cache.ingest(line("e2", 1, #"{"id":"2","name":"ocean"}"#))
        await journal.resume()
        let edit = try await laying.value
        let sent = await server.next()
        await server.answer(.success(OptimisticCommit(pendingID: sent.pendingID, sequence: EventSequence(3))))
        try await cache.outboxIsEmpty()
        try await cache.ingest(line("e2", 2, #"{"id":"1","name":"lagoon"}"#))
        // The place is 3 of the new log.
        #expect(await edit.state == .confirmed)
        #expect(try await cache.entity(Photo.self, id: "1")?.name == "lake")
        try await cache.ingest(line("e2", 3, #"{"id":"1","name":"lake"}"#))
        #expect(await edit.state == nil)
        try await cache.close()
    }

    @Test func `a thousand edits of one key are sent one by one, in order`() async throws {
        let server = CountingMutations()
        // With a clock that stands still, no attempt is too late on a slow machine.
        let cache = try await SyncCache.inMemory(mutationUpstream: server, clock: ManualClock())
        await cache.pauseOutbox()
        for number in 0..<1_000 {
            let request = MutationRequest(method: "m", input: JSONValue(integerLiteral: Int64(number)))
            _ = try await cache.optimistically(pendingID: "p\(number)", sending: request) { changes in
                try changes.put(Photo(id: "\(number)", name: "sea"))
            }
        }
        await cache.resumeOutbox()
        while server.log.count < 1_000 { try await letOthersRun() }
        try await cache.outboxIsEmpty()
        #expect(server.log == (0..<1_000).map { "p\($0)" })
        #expect(server.mostAtOnce == 1)
        #expect(await cache.pendingEdits().isEmpty)
        try await cache.close()
    }

    @Test func `of many keys at most eight are sent at a time`() async throws {
        let server = CountingMutations()
        // With a clock that stands still, no attempt is too late on a slow machine.
        let cache = try await SyncCache.inMemory(mutationUpstream: server, clock: ManualClock())
        await cache.pauseOutbox()
        for number in 0..<200 {
            var request = MutationRequest(method: "m", input: JSONValue(integerLiteral: Int64(number)))
            request.key = ByteString("\(number % 40)")
            _ = try await cache.optimistically(pendingID: "p\(number)", sending: request) { changes in
                try changes.put(Photo(id: "\(number)", name: "sea"))
            }
        }
        await cache.resumeOutbox()
        while server.log.count < 200 { try await letOthersRun() }
        try await cache.outboxIsEmpty()
        #expect(server.mostAtOnce == 8)
        for key in 0..<40 {
            let own = server.log.compactMap { Int($0.dropFirst()) }.filter { $0 % 40 == key }
            #expect(own == own.sorted())
        }
        #expect(server.log.count == 200)
        try await cache.close()
    }

    @Test func `nothing is sent before it is on the disk`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let server = ReadingMutations(path: path)
        let cache = try await SyncCache.open(path: path, mutationUpstream: server)
        for number in 0..<20 {
            var request = MutationRequest(method: "m", input: JSONValue(integerLiteral: Int64(number)))
            if number % 2 == 0 { request.key = ByteString("\(number % 3)") }
            _ = try await cache.optimistically(pendingID: "p\(number)", sending: request) { changes in
                try changes.put(Photo(id: "\(number)", name: "sea"))
            }
        }
        try await cache.outboxIsEmpty()
        #expect(server.missing == [])
        #expect(server.count == 20)
        try await cache.close()
    }
}

extension SyncCache {
    /// Returns when no edit has a request to send.
    fileprivate func outboxIsEmpty() async throws {
        while !outboxStatuses().isEmpty { try await letOthersRun() }
    }
}

/// Lets other tasks run; throws when the test's time is over.
private func letOthersRun() async throws {
    try Task.checkCancellation()
    await Task.yield()
}
