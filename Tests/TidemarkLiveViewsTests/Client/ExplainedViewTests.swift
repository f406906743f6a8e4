import TestTraits
import Testing
import Tidemark
import TidemarkLiveViews
import TidemarkModel
import TidemarkTesting

/// Listing and explaining views with types of Swift.
@Suite(.pooled) struct ExplainedViewTests {
    private func tracker() async throws -> SyncCache {
        let cache = try await SyncCache.inMemory()
        try await cache.apply(Tracker.project(1, "Sea"), Tracker.issue(1, "salt"), Tracker.issue(2, "sand", project: 9))
        return cache
    }

    @Test func `defined views are listed by name, with their rows and observers`() async throws {
        let cache = try await tracker()
        #expect(try await cache.definedViews().isEmpty)
        let issue = View.Source(Issue.self)
        try await cache.define("board", Tracker.board())
        try await cache.define("above", View(issue, where: issue.created > View.param("least")))
        var updates = try cache.observe(.named("board"), as: Tracker.Row.self).makeAsyncIterator()
        _ = try await updates.next()
        let views = try await cache.definedViews()
        #expect(views.map(\.name) == ["above", "board"])
        #expect(views.map(\.parameters) == [["least"], []])
        #expect(views.map(\.rowCount) == [nil, 1])
        #expect(views.map(\.observerCount) == [0, 1])
        #expect(views.allSatisfy { !$0.isBuilding && $0.byteCount > 0 })
        #expect(views[1].json.contains(#""@key":"issue/project""#))
        #expect(try await cache.definedViews(library: "other").isEmpty)
        try await cache.close()
    }

    private typealias Issue = Tracker.Issue

    @Test func `a plan has the steps of the rule, and names what the cache lacks`() async throws {
        let cache = try await tracker()
        let explained = try await cache.explain(Tracker.board())
        #expect(explained.steps.map(\.operation).prefix(2) == ["from", "inner"])
        #expect(explained.steps.map(\.source).prefix(2) == ["issue", "project"])
        #expect(explained.steps[0].rowCount == 2)
        #expect(explained.missing == ["project:9"])
        #expect(explained.entities == nil && explained.presence == nil)
        try await cache.close()
    }

    @Test func `a row is explained by the entities behind it`() async throws {
        let cache = try await tracker()
        let explained = try await cache.explain(Tracker.board(), .row(["issue:1", "project:1"]))
        #expect(explained.entities?.map(\.key) == ["issue:1", "project:1"])
        #expect(explained.entities?.map(\.sequence) == [nil, nil], "the events had no sequences")
        await #expect(throws: CacheError.self) {
            _ = try await cache.explain(Tracker.board(), .row(["issue:2", "project:9"]))
        }
        try await cache.close()
    }

    @Test func `an entity is explained by its rows, or by the condition that failed`() async throws {
        let cache = try await tracker()
        let shown = try await cache.explain(Tracker.board(), .entity(type: "issue", id: "1"))
        #expect(shown.presence == .rows([#"["issue:1","project:1"]"#]))
        let absent = try await cache.explain(Tracker.board(), .entity(type: "issue", id: "2"))
        guard case .absent(let reason)? = absent.presence else {
            Testing.Issue.record("the issue is shown: \(absent)")
            return
        }
        #expect(reason.place == "/joins/0/on/@key" && reason.value == #""9""# && reason.entity == "issue:2")
        let unknown = try await cache.explain(Tracker.board(), .entity(type: "issue", id: "77"))
        guard case .absent(let miss)? = unknown.presence else { return }
        #expect(miss.isUnknown && miss.place == "/from")
        try await cache.close()
    }
}
