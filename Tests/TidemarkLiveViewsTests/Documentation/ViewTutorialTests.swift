import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkLiveViews
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// The code of `docs/live-views.md`, word for word.
@Suite(.pooled) struct ViewTutorialTests {
    struct Issue: PatchableResource, Equatable {
        static let resourceType = "issue"
        static var fieldNames: [PartialKeyPath<Issue>: String] {
            [\.title: "title", \.project: "project", \.assignee: "assignee", \.created: "created"]
        }
        var id: String
        var title: String
        var project: String
        var assignee: String?
        var created: Int
    }

    struct Project: PatchableResource {
        static let resourceType = "project"
        static var fieldNames: [PartialKeyPath<Project>: String] { [\.name: "name", \.status: "status"] }
        var id: String
        var name: String
        var status: String
    }

    struct User: PatchableResource {
        static let resourceType = "user"
        static var fieldNames: [PartialKeyPath<User>: String] { [\.name: "name"] }
        var id: String
        var name: String
    }

    struct Comment: PatchableResource {
        static let resourceType = "comment"
        static var fieldNames: [PartialKeyPath<Comment>: String] {
            [\.issue: "issue", \.author: "author", \.text: "text", \.created: "created"]
        }
        var id: String
        var issue: String
        var author: String
        var text: String
        var created: Int
    }

    struct BoardRow: Decodable, Equatable {
        var title: String
        var project: String
        var owner: String?
    }

    struct ProjectCount: Decodable, Equatable {
        var project: String
        var n: Int
        var latest: Int
    }

    struct IssueTree: Decodable, Equatable {
        struct Said: Decodable, Equatable {
            struct Author: Decodable, Equatable {
                var name: String
            }
            var text: String
            var author: Author?
        }
        struct Talk: Decodable, Equatable {
            var n: Int
        }
        var title: String
        var comments: [Said]
        var talk: Talk
    }

    @Test func `the code of the page does what the page says`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("issues.db")
        let cache = try await SyncCache.open(path: path)  // such as "photos.db"
        try await cache.loadViews()
        let lines = #"""
            {"ResourceChanged":{"resource_type":"project","resource":{"id":"1","name":"Lighthouse","status":"active"}}}
            {"ResourceChanged":{"resource_type":"project","resource":{"id":"2","name":"Pier","status":"closed"}}}
            {"ResourceChanged":{"resource_type":"user","resource":{"id":"7","name":"Ada"}}}
            {"ResourceChanged":{"resource_type":"issue","resource":{"id":"1","title":"Lamp","project":"1","assignee":"7","created":1}}}
            {"ResourceChanged":{"resource_type":"issue","resource":{"id":"2","title":"Stairs","project":"1","created":2}}}
            {"ResourceChanged":{"resource_type":"issue","resource":{"id":"3","title":"Planks","project":"2","created":3}}}
            """#
        try await cache.ingest(Array(lines.utf8))
        let issue = View.Source(Issue.self)
        let newest = View(issue).order(by: issue.created, .descending).limit(2)
        let list = try await cache.read(newest, as: Issue.self)
        print(list.rows.map(\.title))  // ["Planks", "Stairs"]
        #expect(list.rows.map(\.title) == ["Planks", "Stairs"])
        let project = View.Source(Project.self)
        let owner = View.Source(User.self, as: "owner")
        let board = View(issue)
            .join(project, on: issue.project.refers(to: project))
            .leftJoin(owner, on: issue.assignee.refers(to: owner))
            .filter(project.status == View.param("status"))
            .select("title", issue.title).select("project", project.name).select("owner", owner.name)
            .order(by: issue.created)
            .total()
        var updates = try cache.observe(board, ["status": "active"], as: BoardRow.self).makeAsyncIterator()
        let first = try await updates.next()
        print(first?.rows.map(\.owner) ?? [], first?.total ?? 0)  // [Optional("Ada"), nil] 2
        let renamed = #"{"ResourceChanged":{"resource_type":"user","resource":{"id":"7","name":"Ada L."}}}"#
        try await cache.ingest(Array(renamed.utf8))
        let second = try await updates.next()
        print(second?.changes ?? [])  // one update of the row at 0
        #expect(first?.rows.map(\.owner) == ["Ada", nil] && first?.total == 2)
        #expect(
            second?.changes == [.update(BoardRow(title: "Lamp", project: "Lighthouse", owner: "Ada L."), at: 0)])
        let counts = View(issue)
            .join(project, on: issue.project.refers(to: project))
            .group("project", by: project.name)
            .aggregate("n", .count()).aggregate("latest", .max(issue.created))
            .order(by: View.output("n"), .descending)
        let groups = try await cache.read(counts, as: ProjectCount.self)
        print(groups.rows.map(\.n))  // [2, 1]
        #expect(
            groups.rows == [
                ProjectCount(project: "Lighthouse", n: 2, latest: 2), ProjectCount(project: "Pier", n: 1, latest: 3),
            ])
        let comment = View.Source(Comment.self)
        let author = View.Source(User.self, as: "author")
        let said = View.Include(comment, on: comment.issue.refers(to: issue))
            .order(by: comment.created, .descending).limit(3)
            .include("author", View.Include(author, on: comment.author.refers(to: author)).one())
        let every = View.Source(Comment.self, as: "every")
        let tree = View(issue, where: issue.created < 3)
            .include("comments", said)
            .include("talk", View.Include(every, on: every.issue.refers(to: issue)).aggregate("n", .count()))
            .filter(View.output("talk", "n") > 0)
        var trees = try cache.observe(tree, as: IssueTree.self).makeAsyncIterator()
        print(try await trees.next()?.rows.count ?? 0)  // 0
        let answer = #"""
            {"ResourceChanged":{"resource_type":"comment","resource":{"id":"1","issue":"1","author":"7","text":"Lit!","created":4}}}
            """#
        try await cache.ingest(Array(answer.utf8))
        let lit = try await trees.next()?.rows.first
        print(lit?.comments.first?.author?.name ?? "nobody")  // Ada L.
        #expect(
            lit
                == IssueTree(
                    title: "Lamp",
                    comments: [IssueTree.Said(text: "Lit!", author: IssueTree.Said.Author(name: "Ada L."))],
                    talk: IssueTree.Talk(n: 1)))
        try await cache.define("board", board)
        let kept = try await cache.read(.named("board"), ["status": "active"], as: BoardRow.self)
        print(kept.rows.count)  // 2
        #expect(kept.rows.count == 2)
        let model = await ViewModel(
            try cache.observe(.named("board"), ["status": "active"], as: BoardRow.self, limit: 50))
        await model.start()
        try await model.move(offset: 50)
        await model.stop()
        print(try counts.json())
        try await cache.close()
    }

    @Test func `all code of the page is here`() throws {
        let root = ProtocolVector.protocolFolder.deletingLastPathComponent()
        func lines(_ path: String) throws -> [String] {
            try String(contentsOf: root.appending(path: path), encoding: .utf8).components(separatedBy: "\n")
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let own = try lines("Tests/TidemarkLiveViewsTests/Documentation/ViewTutorialTests.swift")
        let parts = try lines("docs/live-views.md").split(separator: "```swift", omittingEmptySubsequences: false)
        #expect(parts.count > 15)
        for part in parts.dropFirst() {
            let block = part.prefix { $0 != "```" }
            let isHere = own.indices.contains { own[$0...].starts(with: block) }
            #expect(isHere, "the test does not hold \(block.joined(separator: "\n"))")
        }
    }
}
