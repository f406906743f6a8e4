import Tidemark
import TidemarkLiveViews
import TidemarkTesting

/// The types of a tracker of issues, as programs declare them.
enum Tracker {
    struct Issue: PatchableResource, Equatable {
        static let resourceType = "issue"
        static var fieldNames: [PartialKeyPath<Issue>: String] {
            [
                \.title: "title", \.project: "project", \.assignee: "assignee", \.created: "created",
                \.labels: "labels",
            ]
        }
        var id: String
        var title: String
        var project: String
        var assignee: String?
        var created: Int
        var labels: [String]?
        /// Not among the names.
        var draft: Bool?
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

    static func issue(_ id: Int, _ title: String, project: Int = 1, assignee: Int? = nil, created: Int? = nil) -> String
    {
        let assignee = assignee.map { #","assignee":"\#($0)""# } ?? ""
        return EventLine.change(
            #"{"id":"\#(id)","title":"\#(title)","project":"\#(project)"\#(assignee),"created":\#(created ?? id)}"#,
            type: "issue")
    }

    static func project(_ id: Int, _ name: String, status: String = "active") -> String {
        EventLine.change(#"{"id":"\#(id)","name":"\#(name)","status":"\#(status)"}"#, type: "project")
    }

    /// Issues with the names of their projects, in the order of their creation.
    static func board() -> View {
        let issue = View.Source(Issue.self), project = View.Source(Project.self)
        return View(issue).join(project, on: issue.project.refers(to: project))
            .select("title", issue.title).select("project", project.name).order(by: issue.created)
    }

    struct Row: Decodable, Equatable {
        var title: String
        var project: String
    }
}

extension SyncCache {
    /// Applies lines of events.
    func apply(_ lines: String...) async throws { try await ingest(Array((lines.joined(separator: "\n") + "\n").utf8)) }
}
