import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

@testable import TidemarkSession

/// Requests for optimistic layers take effect on their line and are answered when they are on the disk.
///
/// - Source: Protocol/sessions.md, order.
@Suite(.pooled) struct SessionOptimisticTests {
    private static let patch = #"[{"op":"patch","resource_type":"file","id":"x","fields":{"n":9}}]"#

    private static func update(_ id: Int, _ pendingID: String = "p1", _ changes: String = patch) -> String {
        SessionFixture.request(
            id, "optimistic.update", #"{"library_id":"a","pending_id":"\#(pendingID)","changes":\#(changes)}"#)
    }

    private static func get(_ id: Int) -> String {
        SessionFixture.request(id, "entity.get", #"{"library_id":"a","resource_type":"file","id":"x"}"#)
    }

    private static func found(_ id: Int, _ n: Int, isPending: Bool) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":{"entity":{"id":"x","n":\#(n)},"pending":\#(isPending),"sequence":1,"stale":false,"miss":null}}"#
    }

    private static func empty(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"# }

    @Test func `a request that waits for the disk delays no other line`() async throws {
        let journal = MemoryJournal()
        let fixture = try await SessionFixture(journal: journal)
        var lines = SessionLines(fixture.output)
        fixture.send(SessionFixture.change(1), SessionFixture.request(0, "cache.flush"))
        #expect(await lines.next() == Self.empty(0))
        await journal.pause()
        fixture.send(
            Self.update(1), Self.get(2), SessionFixture.request(3, "optimistic.rollback", #"{"pending_id":"p1"}"#),
            Self.get(4), Self.update(5), SessionFixture.request(6, "optimistic.commit", #"{"pending_id":"p1"}"#),
            SessionFixture.request(7, "optimistic.list"))
        #expect(await lines.next() == Self.found(2, 9, isPending: true))
        #expect(await lines.next() == Self.found(4, 1, isPending: false))
        #expect(
            await lines.next()
                == #"{"jsonrpc":"2.0","id":7,"result":{"pending":[{"pending_id":"p1","state":"confirmed","changes":\#(Self.patch),"library_id":"a","depends_on":[]}]}}"#
        )
        await journal.resume()
        var answers: Set<String> = []
        for _ in 0..<4 { answers.insert(try #require(await lines.next())) }
        let made = { (id: Int) in #"{"jsonrpc":"2.0","id":\#(id),"result":{"pending_id":"p1"}}"# }
        #expect(answers == [made(1), Self.empty(3), made(5), Self.empty(6)])
        try await fixture.finish()
        #expect(await lines.rest() == [])
    }

    @Test func `a request in an array that waits for the disk delays only the array`() async throws {
        let journal = MemoryJournal()
        let fixture = try await SessionFixture(journal: journal)
        var lines = SessionLines(fixture.output)
        fixture.send(SessionFixture.change(1), SessionFixture.request(0, "cache.flush"))
        #expect(await lines.next() == Self.empty(0))
        await journal.pause()
        fixture.send("[\(Self.update(1)),\(Self.get(2))]", Self.get(3))
        #expect(await lines.next() == Self.found(3, 9, isPending: true))
        await journal.resume()
        #expect(
            await lines.next()
                == #"[{"jsonrpc":"2.0","id":1,"result":{"pending_id":"p1"}},\#(Self.found(2, 9, isPending: true))]"#)
        try await fixture.finish()
    }

    @Test func `an update that the disk refuses is undone, and observers see this before the answer`() async throws {
        let journal = MemoryJournal()
        let fixture = try await SessionFixture(skipsUpTo: 10_000, journal: journal)
        var lines = SessionLines(fixture.output)
        fixture.send(SessionFixture.change(1), SessionFixture.request(0, "cache.flush"))
        #expect(await lines.next() == Self.empty(0))
        fixture.send(
            SessionFixture.request(1, "entity.observe", #"{"library_id":"a","resource_type":"file","id":"x"}"#))
        #expect(await lines.next()?.contains(#""subscription":1"#) == true)
        await journal.failCommits(StorageError(.diskFull, "no room", advice: "make some"))
        fixture.send(Self.update(2))
        let changed = { (n: Int) in
            #"{"jsonrpc":"2.0","method":"entity.changed","params":{"subscription":1,"entity":{"id":"x","n":\#(n)},"changed_fields":["n"]}}"#
        }
        #expect(await lines.next() == changed(9))
        #expect(await lines.next() == changed(1))
        let answer = try #require(await lines.next())
        #expect(answer.hasPrefix(#"{"jsonrpc":"2.0","id":2,"error":{"code":1006,"#), "\(answer)")
        #expect(answer.hasSuffix(#""data":{"code":"storage_failed"}}}"#), "\(answer)")
        fixture.send(SessionFixture.request(3, "optimistic.list"))
        #expect(await lines.next() == #"{"jsonrpc":"2.0","id":3,"result":{"pending":[]}}"#)
        await journal.failCommits(nil)
        fixture.send(Self.update(4))
        #expect(await lines.next() == changed(9))
        #expect(await lines.next() == #"{"jsonrpc":"2.0","id":4,"result":{"pending_id":"p1"}}"#)
        try await fixture.finish()
    }

    @Test func `the end of input waits for writes under way`() async throws {
        let journal = MemoryJournal()
        let fixture = try await SessionFixture(journal: journal)
        var lines = SessionLines(fixture.output)
        await journal.pause()
        fixture.send(Self.update(1), SessionFixture.request(2, "optimistic.list"))
        #expect(await lines.next()?.hasPrefix(#"{"jsonrpc":"2.0","id":2,"result""#) == true)
        let end = Task { try await fixture.finish() }
        await journal.resume()
        #expect(await lines.rest() == [#"{"jsonrpc":"2.0","id":1,"result":{"pending_id":"p1"}}"#])
        try await end.value
    }
}
