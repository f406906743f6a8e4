import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkLiveViews
import TidemarkTesting
import TidemarkViews

/// Views that are built with types of Swift, and mistakes in them.
@Suite(.pooled) struct ViewBuilderTests {
    private let issue = View.Source(Tracker.Issue.self)
    private let project = View.Source(Tracker.Project.self)
    private let owner = View.Source(Tracker.User.self, as: "owner")
    private let author = View.Source(Tracker.User.self, as: "author")
    private let comment = View.Source(type: "comment")
    private let vote = View.Source(type: "vote")
    private let membership = View.Source(type: "membership")

    private func isEqual(_ view: View, _ text: String) throws -> Bool {
        try view.rule() == ViewRule(json: Array(text.utf8))
    }

    @Test func `joins, checks, includes and a window are built as they are written`() throws {
        let newest = View.Include(comment, on: comment["/issue"].refers(to: issue))
            .order(by: comment["/created"], .descending).limit(3)
            .include("author", View.Include(author, on: comment["/author"].refers(to: author)).one())
        let view = View(issue, where: issue.title != "")
            .join(project, on: issue.project.refers(to: project))
            .leftJoin(owner, on: issue.assignee.refers(to: owner))
            .exists(
                membership, on: membership["/project"].refers(to: project), membership["/user"] == View.param("me")
            )
            .filter(project.status == "active").filter(View.output("votes", "n") >= 2).filter(issue.assignee != "7")
            .include("comments", newest)
            .include(
                "votes", View.Include(vote, on: vote["/issue"].refers(to: issue)).aggregate("n", .count())
            )
            .select("title", issue.title).select("project", project.name).select("owner", owner.name)
            .order(by: issue.created, .descending).order(by: issue.title)
            .limit(50).offset(10).total()
        #expect(
            try isEqual(
                view,
                """
                {"from": {"type": "issue", "where": {"path": "issue/title", "ne": ""}},
                 "joins": [{"type": "project", "on": {"@key": "issue/project"}},
                           {"type": "user", "as": "owner", "kind": "left", "on": {"@key": "issue/assignee"}},
                           {"type": "membership", "kind": "exists",
                            "on": {"/project": "project@key", "/user": {"param": "me"}}}],
                 "where": {"all": [{"path": "project/status", "eq": "active"}, {"path": "/votes/n", "gte": 2},
                                   {"path": "issue/assignee", "ne": "7"}]},
                 "include": {"comments": {"type": "comment", "on": {"/issue": "issue@key"},
                                          "order": [{"path": "comment/created", "direction": "desc"}], "limit": 3,
                                          "include": {"author": {"type": "user", "as": "author",
                                                                 "on": {"@key": "comment/author"}, "one": true}}},
                             "votes": {"type": "vote", "on": {"/issue": "issue@key"},
                                       "aggregates": {"n": {"count": true}}}},
                 "select": {"title": "issue/title", "project": "project/name", "owner": "owner/name"},
                 "order": [{"path": "issue/created", "direction": "desc"}, {"path": "issue/title"}],
                 "limit": 50, "offset": 10, "total": true}
                """))
    }

    struct Tag: PatchableResource {
        static let resourceType = "tag"
        static var fieldNames: [PartialKeyPath<Tag>: String] { [\.name: "name"] }
        var id: String
        var name: String
    }

    @Test func `groups and conditions over elements are built as they are written`() throws {
        let tag = View.Source(Tag.self)
        let view = View(issue)
            .join(tag, on: issue.labels.each == tag.name, tag["/space"] == View.param("space"))
            .group("label", by: tag.name)
            .aggregate("n", .count()).aggregate("late", .max(issue.created, where: issue.assignee.isAbsent))
            .having(View.output("n") > 1).order(by: View.output("n"), .descending)
        #expect(
            try isEqual(
                view,
                """
                {"from": {"type": "issue"},
                 "joins": [{"type": "tag", "on": {"/name": "issue/labels/*", "/space": {"param": "space"}}}],
                 "group": {"label": "tag/name"},
                 "aggregates": {"n": {"count": true},
                                "late": {"max": "issue/created", "where": {"path": "issue/assignee", "exists": false}}},
                 "having": {"path": "/n", "gt": 1}, "order": [{"path": "/n", "direction": "desc"}]}
                """))
    }

    @Test func `two conditions for one value become a list`() throws {
        let view = View(issue).join(project, on: issue.title == project.name, issue.project == project.name)
        #expect(
            try isEqual(
                view,
                #"{"from":{"type":"issue"},"joins":[{"type":"project","on":{"/name":["issue/title","issue/project"]}}]}"#
            ))
    }

    struct Shot: PatchableResource {
        static let resourceType = "shot"
        static let conventions = ResourceConventions(names: .snakeCase, dates: .secondsSince1970)
        static var fieldNames: [PartialKeyPath<Shot>: String] { [\.takenAt: "taken_at", \.camera: "camera"] }
        var id: String
        var takenAt: Date
        var camera: Camera
    }

    struct Camera: Codable, Equatable {
        var param: String
    }

    @Test func `values are written as the server writes them, and objects as values`() throws {
        let shot = View.Source(Shot.self)
        let view = View(
            shot, where: shot.takenAt > Date(timeIntervalSince1970: 5) && shot.camera == Camera(param: "M6"))
        #expect(
            try isEqual(
                view,
                """
                {"from": {"type": "shot", "where": {"all": [{"path": "shot/taken_at", "gt": 5},
                    {"path": "shot/camera", "eq": {"value": {"param": "M6"}}}]}}}
                """))
    }

    // MARK: Mistakes

    private func message(_ view: View) -> String {
        do throws(CacheError) {
            return "no mistake in \(try view.json())"
        } catch {
            return error.code == .invalidParams ? error.message : "\(error)"
        }
    }

    @Test func `a mistake is named by the first use, with its place`() throws {
        #expect(message(View(issue, where: issue.draft == true)).contains("add it to Issue.fieldNames"))
        #expect(
            message(View(issue).join(project, on: owner.name == issue.title))
                == "a condition on which project is joined names nothing of project")
        #expect(
            message(View(issue).join(project, on: project.name == project.status))
                == "a condition on which project is joined compares project with itself: write it as where")
        #expect(
            message(View(issue).select("name", project.name))
                == #"/select/name of the view begins with "project", which is no alias that is defined before this place"#
        )
        #expect(message(View(issue).select("a", issue.title).select("a", issue.title)).contains("repeats a member"))
        #expect(message(View(issue).limit(0)) == "/limit of the view is not an integer of 1 or more")
        #expect(
            message(View(issue).aggregate("n", .count()).select("a", issue.title))
                == "/select of the view is not allowed with group or aggregates; their rows are the result")
        #expect(
            message(View(issue).group("status", by: issue.title).having(View.output("statu") == 1))
                .contains(#"did you mean "status"?"#))
    }

    @Test func `a view of JSON and a named one cannot be changed`() throws {
        #expect(message(View(json: #"{"from":"issue"}"#).limit(1)).contains("change its text"))
        #expect(message(View(json: "{")).contains("not JSON"))
        #expect(message(View.named("board").limit(1)).contains("cannot be changed"))
        #expect(message(View.named("board")) == "board is the name of a view: pass its rule")
        #expect(try View(json: #"{ "from": "issue" }"#).json() == #"{"from":"issue"}"#)
    }

    @Test func `a window and parameters that no view has are refused before anything is read`() async throws {
        let cache = try await SyncCache.inMemory()
        let all = View(Tracker.Issue.self)
        #expect(throws: CacheError(.invalidParams, "offset is -1: pass an integer of 0 or more")) {
            try cache.observe(all, as: JSONValue.self, offset: -1)
        }
        #expect(throws: CacheError(.invalidParams, "limit is 0: pass an integer of 1 or more")) {
            try cache.observe(all, as: JSONValue.self, limit: 0)
        }
        #expect(throws: CacheError.self) { try cache.observe(all, [1], as: JSONValue.self) }
        await #expect(throws: CacheError(.invalidParams, "/me of params is no parameter")) {
            try await cache.read(all, ["me": "1"], as: JSONValue.self)
        }
        try await cache.close()
    }
}
