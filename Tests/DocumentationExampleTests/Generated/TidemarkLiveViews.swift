// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkLiveViews
import TidemarkModel

/// The example in Sources/TidemarkLiveViews/Client/SyncCache+ExplainedViews.swift.
func exampleTidemarkLiveViews1(cache: SyncCache) async throws {
    for view in try await cache.definedViews() {
        print(view.name, view.parameters, view.rowCount ?? 0, view.isBuilding)
    }
}

/// The example in Sources/TidemarkLiveViews/Client/SyncCache+ExplainedViews.swift.
func exampleTidemarkLiveViews2(cache: SyncCache) async throws {
    let file = View.Source(type: "file")
    let large = View(file, where: file["/size"] > 1_000_000)
    let explained = try await cache.explain(large, .entity(type: "file", id: "7"))
    if case .absent(let reason)? = explained.presence {
        print(reason.place, reason.condition ?? "", reason.value ?? "")
    }
}

/// The example in Sources/TidemarkLiveViews/Client/SyncCache+Views.swift.
func exampleTidemarkLiveViews3(cache: SyncCache) async throws {
    try await cache.loadViews()
}

/// The example in Sources/TidemarkLiveViews/Client/SyncCache+Views.swift.
func exampleTidemarkLiveViews4(cache: SyncCache) async throws {
    let file = View.Source(type: "file")
    let large = View(file, where: file["/size"] > 1_000_000).order(by: file["/size"], .descending).total()
    let result = try await cache.read(large, as: JSONValue.self, limit: 10)
    print(result.rows.count, "of", result.total ?? 0)
}

/// The example in Sources/TidemarkLiveViews/Client/SyncCache+Views.swift.
func exampleTidemarkLiveViews5(cache: SyncCache) async throws {
    let issue = View.Source(type: "issue")
    let mine = View(issue).filter(issue["/assignee"] == View.param("me")).order(by: issue["/created"]).limit(50)
    for try await update in try cache.observe(mine, ["me": "7"], as: JSONValue.self) {
        print(update.rows.count, update.changes.count)
    }
}

/// The example in Sources/TidemarkLiveViews/Client/SyncCache+Views.swift.
func exampleTidemarkLiveViews6(cache: SyncCache) async throws {
    let file = View.Source(type: "file")
    try await cache.define("kinds", View(file).group("kind", by: file["/kind"]).aggregate("n", .count()))
    print(try await cache.read(.named("kinds"), as: JSONValue.self).rows)
}

/// The example in Sources/TidemarkLiveViews/Client/SyncCache+Views.swift.
func exampleTidemarkLiveViews7(cache: SyncCache) async throws {
    try await cache.drop("kinds")
}

/// The example in Sources/TidemarkLiveViews/Client/ViewErrors.swift.
func exampleTidemarkLiveViews8(cache: SyncCache) async throws {
    do {
        for try await update in try cache.observe(.named("board"), as: JSONValue.self) { print(update.rows.count) }
    } catch let end as ViewEndedError {
        print(end.reason == .dropped ? "nobody needs the board any more" : "observe it again")
    }
}

/// The example in Sources/TidemarkLiveViews/Client/ViewModel.swift.
func exampleTidemarkLiveViews9(cache: SyncCache) async throws {
    @MainActor func show() throws {
        let board = ViewModel(try cache.observe(.named("board"), as: JSONValue.self))
        board.start()
        // In SwiftUI: ForEach(board.rows.indices, id: \.self) { Text(board.rows[$0].text) }
        board.stop()
    }
}

/// The example in Sources/TidemarkLiveViews/Client/ViewObservation.swift.
func exampleTidemarkLiveViews10(cache: SyncCache) async throws {
    struct Row: Decodable {
        var kind: String?
        var n: Int
    }
    let file = View.Source(type: "file")
    let kinds = View(file).group("kind", by: file["/kind"]).aggregate("n", .count())
    for try await update in try cache.observe(kinds, as: Row.self) {
        print(update.rows.map(\.n), update.changes.count, update.isStale)
    }
}

/// The example in Sources/TidemarkLiveViews/Client/ViewObservation.swift.
func exampleTidemarkLiveViews11(cache: SyncCache) async throws {
    let board = try cache.observe(.named("board"), as: JSONValue.self, offset: 0, limit: 50)
    try await board.move(offset: 50)
}

/// The example in Sources/TidemarkLiveViews/Rules/View+Source.swift.
func exampleTidemarkLiveViews12(cache: SyncCache) async throws {
    struct Issue: PatchableResource {
        static let resourceType = "issue"
        static var fieldNames: [PartialKeyPath<Issue>: String] { [\.title: "title", \.labels: "labels"] }
        var id: String
        var title: String
        var labels: [String]
    }
    let issue = View.Source(Issue.self)
    let urgent = View(issue, where: issue["/labels/0"] == "urgent" && issue.title != "")
    print(try urgent.json())
}

/// The example in Sources/TidemarkLiveViews/Rules/View.swift.
func exampleTidemarkLiveViews13(cache: SyncCache) async throws {
    struct Issue: PatchableResource {
        static let resourceType = "issue"
        static var fieldNames: [PartialKeyPath<Issue>: String] {
            [\.title: "title", \.project: "project", \.created: "created"]
        }
        var id: String
        var title: String
        var project: String
        var created: Int
    }
    struct Project: PatchableResource {
        static let resourceType = "project"
        static var fieldNames: [PartialKeyPath<Project>: String] { [\.name: "name", \.status: "status"] }
        var id: String
        var name: String
        var status: String
    }
    struct Row: Decodable {
        var title: String
        var project: String
    }
    let issue = View.Source(Issue.self), project = View.Source(Project.self)
    let active = View(issue)
        .join(project, on: issue.project.refers(to: project))
        .filter(project.status == View.param("status"))
        .select("title", issue.title).select("project", project.name)
        .order(by: issue.created, .descending).limit(50)
    for try await update in try cache.observe(active, ["status": "active"], as: Row.self) {
        print(update.rows.map(\.title))
    }
}

/// The example in Sources/TidemarkLiveViews/Rules/View.swift.
func exampleTidemarkLiveViews14(cache: SyncCache) async throws {
    let kinds = View(json: #"{"from":"file","group":{"kind":"file/kind"},"aggregates":{"n":{"count":true}}}"#)
    print(try await cache.read(kinds, as: JSONValue.self).rows)
}

/// The example in Sources/TidemarkLiveViews/Rules/ViewClauses.swift.
func exampleTidemarkLiveViews15(cache: SyncCache) async throws {
    let issue = View.Source(type: "issue"), comment = View.Source(type: "comment")
    let newest = View.Include(comment, on: comment["/issue"].refers(to: issue))
        .order(by: comment["/created"], .descending).limit(3)
    print(try View(issue).include("comments", newest).json())
}

/// The example in Sources/TidemarkLiveViews/Rules/ViewJoining.swift.
func exampleTidemarkLiveViews16(cache: SyncCache) async throws {
    let user = View.Source(type: "user"), membership = View.Source(type: "membership")
    let team = View.Source(type: "team")
    let member = View.Match(membership, on: membership["/user"].refers(to: user))
        .join(team, on: membership["/team"].refers(to: team), where: team["/active"] == true)
    print(try View(user).exists(member).json())
}
