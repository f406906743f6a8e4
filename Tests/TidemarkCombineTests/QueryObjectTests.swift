import TestTraits
import Testing
import Tidemark
import TidemarkCombine
import TidemarkModel
import TidemarkTestKit

#if canImport(Combine)
    import Combine
#elseif canImport(OpenCombine)
    import OpenCombine
#endif

// The example of the docstring, word for word: it compiles.
private struct Photo: Resource {
    static let resourceType = "photo"
    var id: String
}

@MainActor func show(_ cache: SyncCache) throws {
    let photos = QueryObject(try cache.observe(Photo.self, method: "photos.list"))
    photos.start()
    let subscription = photos.$items.sink { @Sendable items in print(items.count) }
    subscription.cancel()
    photos.stop()
}

private struct Note: Resource, Equatable {
    static let resourceType = "note"
    var id: UInt32
}

@MainActor @Suite(.pooled) struct QueryObjectTests {
    private func elements(_ ids: [UInt32]) -> [ScriptedObserverHost.Element] {
        ids.map { ScriptedObserverHost.Element($0, #"{"id":\#($0)}"#) }
    }

    private func object(_ host: ScriptedObserverHost) throws -> QueryObject<Note> {
        QueryObject(
            QueryObservation(
                QueryRequest(try QueryKey(library: "", method: "notes.list", input: Array("{}".utf8))), of: host))
    }

    @Test func `the published items follow the list`() async throws {
        let host = ScriptedObserverHost(elements([1]))
        let object = try object(host)
        let (lists, continuation) = AsyncStream.makeStream(of: [UInt32].self)
        let (changes, changed) = AsyncStream.makeStream(of: Void.self)
        let subscription = object.$items.sink { @Sendable items in continuation.yield(items.map(\.id)) }
        let changeSubscription = object.objectWillChange.sink { @Sendable in changed.yield() }
        var list = lists.makeAsyncIterator()
        var change = changes.makeAsyncIterator()
        #expect(await list.next() == [])
        object.start()
        #expect(await list.next() == [1])
        await host.show(elements([2, 1]))
        #expect(await list.next() == [2, 1])
        #expect(await change.next() != nil)
        object.stop()
        await host.waitUntil { $0.observerCount == 0 }
        #expect(object.items.map(\.id) == [2, 1])
        subscription.cancel()
        changeSubscription.cancel()
    }

    @Test func `releasing an object ends its observation`() async throws {
        let host = ScriptedObserverHost(elements([1]))
        var object: QueryObject<Note>? = try object(host)
        object?.start()
        await host.waitUntil { $0.observerCount == 1 }
        object = nil
        await host.waitUntil { $0.observerCount == 0 }
    }
}
