import Foundation
import GRDB
import Synchronization
import Tidemark
import TidemarkModel
import TidemarkTesting
import TidemarkViews

/// Issues and their projects, or follows and posts, for ``ViewsSuite``.
final class ViewsFixture: ListableEntities {
    struct Size {
        let issueCount: Int
        let projectCount: Int
    }

    let size: Size
    private var states: [ViewKey: [UInt8]] = [:]
    /// The ids of each type, ascending by their bytes.
    private var ids: [ByteString: [ByteString]] = [:]

    init(_ size: Size) {
        self.size = size
        for issue in 0..<size.issueCount {
            states[ViewsFixture.key("issue", issue)] = ViewsFixture.issue(issue, size)
        }
        for project in 0..<size.projectCount {
            states[ViewsFixture.key("project", project)] = ViewsFixture.project(project, "name \(project)")
        }
        sortIDs()
    }

    /// Creates follows of one author.
    init(followers count: Int) {
        size = Size(issueCount: 0, projectCount: 0)
        for user in 0..<count {
            states[ViewsFixture.key("follow", user)] = Array(
                #"{"id":"\#(user)","follower":"u\#(user)","author":"a1"}"#.utf8)
        }
        for post in 0..<100 {
            states[ViewsFixture.key("post", 1_000_000 + post)] = ViewsFixture.post(post, author: "a2")
        }
        sortIDs()
    }

    private func sortIDs() {
        for key in states.keys { ids[key.type, default: []].append(key.id) }
        for type in ids.keys { ids[type]?.sort() }
    }

    // MARK: Entities

    func state(of key: ViewKey) -> ViewEntityState { states[key].map { .present($0) } ?? .unknown }

    func ids(of type: ByteString, after id: ByteString?, countMax: Int) -> [ByteString] {
        let all = ids[type] ?? []
        guard let id else { return Array(all.prefix(countMax)) }
        var bounds = 0..<all.count
        while !bounds.isEmpty {
            let middle = (bounds.lowerBound + bounds.upperBound) / 2
            bounds = all[middle] <= id ? middle + 1..<bounds.upperBound : bounds.lowerBound..<middle
        }
        return Array(all[bounds.lowerBound...].prefix(countMax))
    }

    static func key(_ type: String, _ number: Int) -> ViewKey {
        ViewKey(type: ByteString(type), id: ByteString("\(number)"))
    }

    /// An issue; each project has a hundred.
    static func issue(_ number: Int, _ size: Size, created: Int? = nil) -> [UInt8] {
        let created = created ?? number &* 7_919 % 1_000_003
        return Array(
            #"{"id":"\#(number)","project":"\#(number % size.projectCount)","title":"Issue \#(number)","created":\#(created),"state":"open","text":"What happened, and what was expected instead of it"}"#
                .utf8)
    }

    static func project(_ number: Int, _ name: String) -> [UInt8] {
        Array(#"{"id":"\#(number)","name":"\#(name)","status":"s\#(number % 100)"}"#.utf8)
    }

    static func post(_ number: Int, author: String) -> [UInt8] {
        Array(#"{"id":"\#(number)","author":"\#(author)","created":\#(number),"text":"a post"}"#.utf8)
    }

    // MARK: Rules

    /// Issues with the names of their projects, newest first.
    static func join(parameter: Bool) -> String {
        let filter = parameter ? #""where":{"path":"project/status","eq":{"param":"status"}},"# : ""
        return #"{"from":"issue","joins":[{"type":"project","on":{"@key":"issue/project"}}],"# + filter
            + #""select":{"title":"issue/title","project":"project/name"},"#
            + #""order":[{"path":"issue/created","direction":"desc"}],"limit":50}"#
    }

    /// The issues of one project.
    static let ofProject =
        #"{"from":{"type":"issue","where":{"path":"/project","eq":{"param":"project"}}},"joins":[{"type":"project","on":{"@key":"issue/project"}}],"select":{"title":"issue/title","project":"project/name"},"order":[{"path":"issue/created","direction":"desc"}],"limit":100}"#

    /// The issues of each project, counted.
    static let grouped =
        #"{"from":"issue","joins":[{"type":"project","on":{"@key":"issue/project"}}],"group":{"project":"project/id"},"aggregates":{"n":{"count":true},"last":{"max":"issue/created"}},"limit":50}"#
    static let groupedSQL =
        "SELECT project.id, count(*), max(issue.created) FROM issue JOIN project ON project.id = issue.project "
        + "GROUP BY project.id"

    /// The posts of those whom somebody follows.
    static let feed =
        #"{"from":{"type":"follow","where":{"path":"/follower","eq":{"param":"me"}}},"joins":[{"type":"post","on":{"/author":"follow/author"}}],"select":{"text":"post/text"},"order":[{"path":"post/created","direction":"desc"}],"limit":20}"#

    func open(
        _ rule: String, _ views: inout ViewSet, params: String = "{}", offset: Int? = nil
    ) throws -> ViewWindowID {
        let checked = try ViewRule(json: Array(rule.utf8))
        guard let use = views.hold(checked, try ViewBinding(Array(params.utf8), for: checked)) else {
            preconditionFailure("a set has room for the uses of a suite")
        }
        while !views.fill(use, self, countMax: 10_000) {}
        guard let window = views.open(use, offset: offset, self) else {
            preconditionFailure("a set has room for the windows of a suite")
        }
        views.release(use)
        return window
    }

    // MARK: Changes

    @discardableResult
    func put(_ key: ViewKey, _ resource: [UInt8], _ views: inout ViewSet) -> Int {
        let change = ViewChange(key, from: state(of: key), to: .present(resource))
        states[key] = resource
        return views.apply([change], self).count
    }

    /// Gives an issue another date, or its first one again.
    @discardableResult
    func change(_ key: ViewKey, created: Int?, _ views: inout ViewSet) -> Int {
        guard let number = Int(key.id.description) else { return 0 }
        return put(key, ViewsFixture.issue(number, size, created: created), &views)
    }

    func rename(_ project: Int, _ name: String, _ views: inout ViewSet) -> Int {
        put(ViewsFixture.key("project", project), ViewsFixture.project(project, name), &views)
    }

    func post(_ number: Int, _ views: inout ViewSet) -> Int {
        put(ViewsFixture.key("post", number), ViewsFixture.post(number, author: "a1"), &views)
    }

    // MARK: Others

    /// The same entities in SQLite, with the indexes that the join needs.
    func database() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE issue (id TEXT PRIMARY KEY, project TEXT, title TEXT, created INTEGER);
                    CREATE TABLE project (id TEXT PRIMARY KEY, name TEXT, status TEXT);
                    CREATE INDEX issue_project ON issue (project)
                    """)
            let issue = try db.makeStatement(sql: "INSERT INTO issue VALUES (?, ?, ?, ?)")
            for number in 0..<size.issueCount {
                try issue.execute(arguments: [
                    "\(number)", "\(number % size.projectCount)", "Issue \(number)", number &* 7_919 % 1_000_003,
                ])
            }
            let project = try db.makeStatement(sql: "INSERT INTO project VALUES (?, ?, ?)")
            for number in 0..<size.projectCount {
                try project.execute(arguments: ["\(number)", "name \(number)", "s\(number % 100)"])
            }
        }
        return queue
    }

    /// A cache in memory with all issues and projects.
    static func cache(_ size: Size) async throws -> SyncCache {
        var configuration = CacheConfiguration()
        configuration.memoryByteCountMax = 8 << 30
        let cache = try await SyncCache.open(configuration: configuration, journal: ForgetfulJournal())
        var lines: [UInt8] = []
        for project in 0..<size.projectCount {
            lines += line("project", ViewsFixture.project(project, "name \(project)"))
        }
        for issue in 0..<size.issueCount {
            lines += issueLine(issue, size, created: nil)
            if lines.count > 1 << 20 {
                try await cache.ingest(lines)
                lines = []
            }
        }
        try await cache.ingest(lines)
        return cache
    }

    static func issueLine(_ number: Int, _ size: Size, created: Int?) -> [UInt8] {
        line("issue", issue(number, size, created: created))
    }

    private static func line(_ type: String, _ resource: [UInt8]) -> [UInt8] {
        Array(#"{"ResourceChanged":{"resource_type":"\#(type)","resource":"#.utf8) + resource + Array("}}\n".utf8)
    }

    /// Lines that change issues anywhere.
    static func updates(_ size: Size, count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        var lines: [UInt8] = []
        for event in 0..<count {
            lines += issueLine(random.below(size.issueCount), size, created: Int(seed) * count + event)
        }
        return lines
    }
}

/// Counts notifications, and always has room.
final class CountingSink: ObserverSink {
    private let told = Atomic<Int>(0)

    var count: Int { told.load(ordering: .relaxed) }

    func offer(_ notification: CacheNotification) -> Bool {
        told.add(1, ordering: .relaxed)
        return true
    }

    func deliver(_ notification: CacheNotification) { told.add(1, ordering: .relaxed) }
}
