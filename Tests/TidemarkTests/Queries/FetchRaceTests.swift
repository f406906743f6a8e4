import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

/// A write during a fetch wins over the fetch's answer.
@Suite(.tags(.race), .pooled) struct FetchRaceTests {
    private static func change(_ sequence: Int64?, _ resource: String) -> String {
        EventLine.change(resource, library: "a", sequence: sequence)
    }

    private static func delete(_ sequence: Int64?, _ id: String) -> String {
        EventLine.delete(id, library: "a", sequence: sequence)
    }

    private static let rule = Array(#"{"resource_type":"file","order":[{"path":"/v"}]}"#.utf8)

    /// Asks a question, feeds lines, then gives the answer.
    private func race(
        _ fixture: QueryFixture, during lines: [String], _ resources: [String],
        _ change: (inout QueryResult) -> Void = { _ in }
    ) async throws -> [String] {
        let reply = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(1)
        try await fixture.input.feed(lines)
        var result = QueryFixture.result(resources)
        change(&result)
        await fixture.upstream.answer(.success(result))
        #expect(await eventually { reply.isThere })
        return try #require(reply.replies.first).get().texts
    }

    @Test(arguments: [nil, 1] as [Int64?])
    func `an entity that an event changed after the fetch began keeps the event's version`(asOf: Int64?) async throws {
        let fixture = try await QueryFixture.open()
        try await fixture.input.feed([Self.change(1, #"{"id":"x","v":1}"#), Self.change(nil, #"{"id":"z","v":1}"#)])
        let list = try await race(
            fixture,
            during: [
                Self.change(2, #"{"id":"x","v":2}"#), Self.delete(3, "y"), Self.change(nil, #"{"id":"z","v":2}"#),
            ],
            [#"{"id":"x","v":1}"#, #"{"id":"y","v":1}"#, #"{"id":"z","v":1}"#, #"{"id":"w","v":1}"#]
        ) { $0.asOf = asOf.map { EventSequence($0) } }
        #expect(list == [#"{"id":"x","v":2}"#, #"{"id":"z","v":2}"#, #"{"id":"w","v":1}"#])
        #expect(try await fixture.cache.read(Lines.key("y"), fields: nil).miss == .deleted)
    }

    @Test(arguments: [false, true])
    func `an answer keeps the entity of another answer of a higher place`(isNewLog: Bool) async throws {
        let fixture = try await QueryFixture.open()
        func line(_ epoch: Int, _ id: String) -> String {
            EventLine.change(#"{"id":"\#(id)","v":1}"#, library: "a", sequence: 1, epoch: "e\(epoch)")
        }
        try await fixture.input.feed([line(1, "x")])
        let reply = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(1)
        if isNewLog { try await fixture.input.feed([line(2, "y")]) }
        try await fixture.put([#"{"id":"x","v":5}"#], #"{"q":1}"#) { $0.asOf = EventSequence(5) }
        var result = QueryFixture.result([#"{"id":"x","v":1}"#, #"{"id":"z","v":1}"#])
        // The place means nothing in another log.
        result.asOf = isNewLog ? EventSequence(1) : nil
        await fixture.upstream.answer(.success(result))
        #expect(await eventually { reply.isThere })
        #expect(try await fixture.stored() == [#"{"id":"x","v":5}"#, #"{"id":"z","v":1}"#])
        await fixture.cache.checkInvariants()
    }

    @Test func `an answer that waits for the disk while a log begins anew has no place in the new one`() async throws {
        let journal = MemoryJournal()
        let fixture = try await QueryFixture.open(journal) { $0.memoryByteCountMax = 0 }
        func line(_ epoch: Int, _ sequence: Int) -> String {
            EventLine.change(
                #"{"id":"x","v":\#(10 * epoch + sequence)}"#, library: "a", sequence: Int64(sequence),
                epoch: "e\(epoch)")
        }
        try await fixture.input.feed([line(1, 1)])
        try await fixture.cache.flush()
        await journal.pauseLoads()
        async let put: Void = fixture.put([#"{"id":"x","v":5}"#]) { $0.asOf = EventSequence(5) }
        await journal.waitUntilHeld()
        try await fixture.input.feed([EventLine.reset(epoch: "e2", library: "a")])
        await journal.resumeLoads()
        try await put
        #expect(try await fixture.stored() == [#"{"id":"x","v":5}"#])
        try await fixture.input.feed([line(2, 1)])
        #expect(try await fixture.stored() == [#"{"id":"x","v":21}"#])
    }

    @Test func `an entity deleted by an event without a sequence stays deleted`() async throws {
        let fixture = try await QueryFixture.open()
        try await fixture.input.feed([Self.change(1, #"{"id":"x","v":1}"#)])
        let list = try await race(fixture, during: [Self.delete(nil, "x")], [#"{"id":"x","v":1}"#])
        #expect(list == [])
    }

    @Test func `an answer that is as new as the event is stored`() async throws {
        let fixture = try await QueryFixture.open()
        let list = try await race(
            fixture, during: [Self.change(1, #"{"id":"x","v":1}"#), Self.change(2, #"{"id":"x","v":2}"#)],
            [#"{"id":"x","v":20}"#]
        ) { $0.asOf = EventSequence(2) }
        #expect(list == [#"{"id":"x","v":20}"#])
    }

    @Test(arguments: [nil, 1] as [Int64?])
    func `an entity created after the fetch began is in a list with a rule`(asOf: Int64?) async throws {
        let fixture = try await QueryFixture.open()
        try await fixture.input.feed([Self.change(1, #"{"id":"x","v":1}"#)])
        let list = try await race(
            fixture, during: [Self.change(2, #"{"id":"new","v":0}"#), Self.change(3, #"{"id":"x","v":5}"#)],
            [#"{"id":"x","v":1}"#, #"{"id":"y","v":3}"#]
        ) {
            $0.asOf = asOf.map { EventSequence($0) }
            $0.membership = Self.rule
        }
        #expect(list == [#"{"id":"new","v":0}"#, #"{"id":"y","v":3}"#, #"{"id":"x","v":5}"#])
        #expect(try await fixture.isStale() == false)
    }

    @Test func `an element that moved since the answer does not decide how far the server's list goes`() async throws {
        let fixture = try await QueryFixture.open()
        let list = try await race(
            fixture, during: [Self.change(1, #"{"id":"b","v":90}"#)], [#"{"id":"a","v":1}"#, #"{"id":"b","v":2}"#]
        ) { $0.membership = Array(#"{"resource_type":"file","order":[{"path":"/v"}],"limit":2}"#.utf8) }
        #expect(list == [#"{"id":"a","v":1}"#])
        #expect(try await fixture.isStale() == true)
    }

    @Test func `an answer older than the remembered writes is completed from the store under a rule`()
        async throws
    {
        let fixture = try await QueryFixture.open()
        let sequences: [Int64] = [1, 2, 3, 4, 5]
        try await fixture.input.feed(
            sequences.map { (sequence: Int64) in Self.change(sequence, #"{"id":"f\#(sequence)","v":\#(sequence)}"#) })
        try await fixture.put([#"{"id":"f1","v":1}"#]) {
            $0.asOf = EventSequence(2)
            $0.membership = Self.rule
        }
        let expected = [1, 3, 4, 5].map { #"{"id":"f\#($0)","v":\#($0)}"# }
        #expect(try await fixture.stored() == expected)
        #expect(try await fixture.isStale() == false)
        // Writes are remembered from here on.
        try await fixture.input.feed([Self.change(6, #"{"id":"f6","v":6}"#)])
        try await fixture.put([#"{"id":"f1","v":1}"#]) {
            $0.asOf = EventSequence(5)
            $0.membership = Self.rule
        }
        #expect(try await fixture.stored() == [#"{"id":"f1","v":1}"#, #"{"id":"f6","v":6}"#])
        #expect(try await fixture.isStale() == false)
    }

    @Test(arguments: [false, true])
    func `an answer ahead of the cursor is not overwritten by events up to its place`(isRestarted: Bool) async throws {
        let journal = MemoryJournal()
        var fixture = try await QueryFixture.open(journal)
        try await fixture.input.feed([Self.change(1, #"{"id":"x","v":1}"#)])
        try await fixture.put([#"{"id":"x","v":30}"#, #"{"id":"y","v":30}"#]) { $0.asOf = EventSequence(3) }
        if isRestarted {
            try await fixture.cache.close()
            fixture = try await QueryFixture.open(MemoryJournal(store: journal.store))
        }
        try await fixture.input.feed([Self.change(2, #"{"id":"x","v":2}"#), Self.delete(3, "y")])
        #expect(try await fixture.stored() == [#"{"id":"x","v":30}"#, #"{"id":"y","v":30}"#])
        // An answer without a known place does not change the places of its entities.
        try await fixture.put([#"{"id":"x","v":31}"#, #"{"id":"y","v":30}"#])
        try await fixture.input.feed([Self.change(4, #"{"id":"x","v":4}"#), Self.delete(5, "y")])
        #expect(try await fixture.stored() == [#"{"id":"x","v":4}"#])
    }

    @Test func `an answer without a place keeps the place that an entity had`() async throws {
        let fixture = try await QueryFixture.open()
        try await fixture.input.feed([Self.change(1, #"{"id":"x","v":1}"#)])
        try await fixture.put([#"{"id":"x","v":30}"#]) { $0.asOf = EventSequence(3) }
        try await fixture.put([#"{"id":"x","v":31}"#])
        try await fixture.input.feed([Self.change(2, #"{"id":"x","v":2}"#), Self.change(3, #"{"id":"x","v":3}"#)])
        #expect(try await fixture.stored() == [#"{"id":"x","v":31}"#])
    }

    @Test(arguments: [nil, 900] as [Int64?])
    func `an answer to a question of an older log does not stop the new one`(asOf: Int64?) async throws {
        let fixture = try await QueryFixture.open()
        try await fixture.input.feed([Self.change(900, #"{"id":"x","v":1}"#)])
        let list = try await race(
            fixture,
            during: [
                EventLine.reset(epoch: "two", library: "a"), Self.change(1, #"{"id":"x","v":2}"#),
            ], [#"{"id":"x","v":1}"#, #"{"id":"y","v":1}"#]
        ) { $0.asOf = asOf.map { EventSequence($0) } }
        #expect(list == [#"{"id":"x","v":2}"#, #"{"id":"y","v":1}"#])
        try await fixture.input.feed([Self.change(2, #"{"id":"y","v":2}"#)])
        #expect(try await fixture.stored() == [#"{"id":"x","v":2}"#, #"{"id":"y","v":2}"#])
    }

    @Test func `more writes than are remembered keep their effect and leave the list stale`() async throws {
        let fixture = try await QueryFixture.open()
        let reply = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(1)
        try await fixture.input.feed([Self.change(nil, #"{"id":"x","v":2}"#)])
        try await fixture.input.feed((0..<9_000).map { _ in Self.change(nil, #"{"id":"other"}"#) })
        await fixture.upstream.answer(.success(QueryFixture.result([#"{"id":"x","v":1}"#])))
        #expect(await eventually { reply.isThere })
        #expect(try reply.replies.first?.get().texts == [#"{"id":"x","v":2}"#])
        #expect(try reply.replies.first?.get().answer.isStale == true)
    }
}
