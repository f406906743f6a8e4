import Observation
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTestKit

private struct Note: Resource, Equatable {
    static let resourceType = "note"
    var id: UInt32
}

@MainActor @Suite(.pooled) struct QueryModelTests {
    private func elements(_ ids: [UInt32]) -> [ScriptedObserverHost.Element] {
        ids.map { ScriptedObserverHost.Element($0, #"{"id":\#($0)}"#) }
    }

    private func model(_ host: ScriptedObserverHost) throws -> QueryModel<Note> {
        QueryModel(
            QueryObservation(
                QueryRequest(try QueryKey(library: "", method: "notes.list", input: Array("{}".utf8))), of: host))
    }

    /// Returns as soon as the result of `read` has changed, or the task is cancelled, as a time limit does.
    private func change(of read: @MainActor @escaping () -> Void) async {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking(read) { continuation.finish() }
        for await _ in changes {}
        await Task.yield()
    }

    private func isLoaded(_ model: QueryModel<Note>) -> Bool {
        if case .loaded = model.phase { true } else { false }
    }

    @Test func `the items follow the list, and their views are notified`() async throws {
        let host = ScriptedObserverHost(elements([1]))
        let model = try model(host)
        #expect(!isLoaded(model))
        #expect(!model.isRunning)
        model.start()
        model.start()
        while !isLoaded(model), !Task.isCancelled { await change { _ = model.phase } }
        #expect(model.items.map(\.id) == [1])
        await host.show(elements([1, 2]))
        while model.items.count < 2, !Task.isCancelled { await change { _ = model.items } }
        #expect(model.items.map(\.id) == [1, 2])
        #expect(await host.observerCount == 1)
        model.stop()
        await host.waitUntil { $0.observerCount == 0 }
        #expect(model.items.map(\.id) == [1, 2])
        #expect(!model.isRunning)
    }

    @Test func `a failure is shown, and a new start tries again`() async throws {
        let host = ScriptedObserverHost(elements([1]))
        await host.fail(CacheError(.upstreamFailed, "the server is away"))
        let model = try model(host)
        model.start()
        await change { _ = model.phase }
        guard case .failed(let error) = model.phase else {
            Issue.record("the phase is \(model.phase)")
            return
        }
        #expect(error as? CacheError == CacheError(.upstreamFailed, "the server is away"))
        #expect(!model.isRunning)
        await host.fail(nil)
        model.start()
        while !isLoaded(model), !Task.isCancelled { await change { _ = model.phase } }
        #expect(model.items.map(\.id) == [1])
    }

    @Test func `releasing a model ends its observation`() async throws {
        let host = ScriptedObserverHost(elements([1]))
        var model: QueryModel<Note>? = try model(host)
        model?.start()
        await host.waitUntil { $0.observerCount == 1 }
        model = nil
        await host.waitUntil { $0.observerCount == 0 }
        #expect(await host.detachCount == 1)
    }
}
