import Foundation
import ScopeTestKit
import Tidemark
import TidemarkModel
import TidemarkTesting
import TidemarkViews

/// One random history of a server with scopes, over real sockets, beside the naive oracle.
struct ServedScopeHistory {
    private struct Client {
        var folding: FoldingClient
        var reader: ScopeLineReader?
    }

    private var random: SeededGenerator
    private let store = MemoryJournal.Store()
    private var served: ServedScopes
    private var oracle = ScopeOracle()
    private var clients: [Client] = []
    private var nextMarker = 0
    private var notes: [String] = []
    /// What went wrong; empty if nothing did.
    private(set) var problems: [String] = []

    private static let projects = ["p1", "p2"]
    private static let subjects = ["u1", "u2"]

    init(seed: UInt64) async throws {
        random = SeededGenerator(seed: seed)
        served = try await ServedScopes(file: ScopeFiles.oracle, journal: MemoryJournal(store: store))
    }

    mutating func run(stepCount: Int) async throws {
        for _ in 0..<count(0...12) { try await change() }
        for _ in 0..<count(2...4) {
            let scope = one(["project", "project", "project", "mine", "public"])
            let me = one(Self.subjects)
            let instance = ScopeOracle.Instance(
                scope: scope, me: scope == "public" ? "" : me, project: scope == "project" ? one(Self.projects) : "")
            clients.append(Client(folding: FoldingClient(instance, subject: me)))
        }
        for _ in 0..<stepCount where problems.isEmpty { try await step() }
        for index in clients.indices where problems.isEmpty {
            if clients[index].reader == nil { try await connect(index) }
        }
        try await served.stop()
        for index in clients.indices {
            try await leave(index)
            check(index)
        }
    }

    private mutating func step() async throws {
        let index = count(0...clients.count - 1)
        switch count(0...99) {
        case 0...64: try await change()
        case 65...79 where clients[index].reader == nil: try await connect(index)
        case 65...74:
            notes.append("client \(index) leaves")
            try await leave(index)
        case 75...79: break
        case 80...84: try await restart()
        default:
            if clients[index].reader == nil { try await connect(index) }
        }
    }

    // MARK: Entities

    private mutating func marker() -> String {
        nextMarker += 1
        return "X\(nextMarker)X"
    }

    private mutating func entity(_ type: String, _ id: String) -> OracleEntity {
        var members = [("id", "\"\(id)\"")]
        switch type {
        case "project": members.append(("public", Bool.random(using: &random) ? "true" : "false"))
        case "issue":
            members += [("project", "\"\(one(Self.projects))\""), ("owner", "\"\(one(Self.subjects))\"")]
        case "comment", "block":
            members += [("issue", "\"\(Self.id("issue", count(1...4)))\""), ("user", "\"\(one(Self.subjects))\"")]
        case "membership":
            members += [("user", "\"\(one(Self.subjects))\""), ("project", "\"\(one(Self.projects))\"")]
        default: break
        }
        for name in ["title", "internal_notes", "email"] { members.append((name, "\"\(marker())\"")) }
        return OracleEntity(members: members.map { .init(name: $0.0, spelling: $0.0, value: $0.1) })
    }

    /// The id of an entity, which is a marker too.
    private static func id(_ type: String, _ number: Int) -> String {
        let types = ["issue", "comment", "membership", "block"]
        return "\(type.prefix(1))X\(9_000_000 + 10 * (types.firstIndex(of: type) ?? 0) + number)X"
    }

    private mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func one<Element>(_ elements: [Element]) -> Element { elements[count(0...elements.count - 1)] }

    private mutating func key() -> ViewKey {
        let type = one(["project", "issue", "issue", "comment", "user", "membership", "membership", "block"])
        let id =
            switch type {
            case "project": one(Self.projects)
            case "user": one(Self.subjects)
            default: Self.id(type, count(1...4))
            }
        return ViewKey(type: ByteString(type), id: ByteString(id))
    }

    /// One unit: a change, a batch, a delete at the source, or a removal here.
    private mutating func change() async throws {
        let key = key()
        let type = key.type.description
        switch count(0...9) {
        case 0, 1:
            oracle.entities[key] = nil
            notes.append("delete \(key.text)")
            noteVisible()
            try await served.feed(ServedScopes.delete(type, key.id.description))
        case 2:
            oracle.entities[key] = nil
            notes.append("remove \(key.text)")
            noteVisible()
            try await removeHere(key)
            try await served.cache.flush()
        case 3, 4:
            var batch: [ViewKey: OracleEntity] = [:]
            for _ in 0..<count(2...4) {
                let other = self.key()
                if other.type == key.type { batch[other] = entity(type, other.id.description) }
            }
            batch[key] = entity(type, key.id.description)
            notes.append("batch \(batch.keys.map(\.text))")
            oracle.entities.merge(batch) { $1 }
            noteVisible()
            let texts = batch.sorted { $0.key < $1.key }.map(\.value.text).joined(separator: ",")
            try await served.feed(#"{"ResourceBatchChanged":{"resource_type":"\#(type)","resources":[\#(texts)]}}"#)
        default:
            let entity = entity(type, key.id.description)
            oracle.entities[key] = entity
            notes.append("change \(key.text)")
            noteVisible()
            try await served.feed(ServedScopes.change(type, entity.text))
        }
        for index in clients.indices { try await readChange(index) }
    }

    private func removeHere(_ key: ViewKey) async throws {
        var removal = Removal()
        removal.resourceType = key.type
        removal.ids = [key.id]
        _ = try await served.cache.remove(removal)
        try await served.cache.flush()
    }

    // MARK: Clients

    /// The markers of what each client may see now join those that it may see.
    private mutating func noteVisible() {
        for index in clients.indices {
            let visible = oracle.visible(clients[index].folding.instance)
            clients[index].folding.visible = visible
            clients[index].folding.allowed.formUnion(Marker.all(in: visible.values.joined(separator: " ").utf8))
        }
    }

    /// Ends a client's connection. What was written to it and not read is searched too.
    private mutating func leave(_ index: Int) async throws {
        if let reader = clients[index].reader { clients[index].folding.search(try await reader.rest()) }
        clients[index].reader = nil
        clients[index].folding.disconnect()
    }

    private mutating func restart() async throws {
        notes.append("restart")
        try await served.stop()
        for index in clients.indices { try await leave(index) }
        served = try await ServedScopes(file: ScopeFiles.oracle, journal: MemoryJournal(store: store))
    }

    private mutating func connect(_ index: Int) async throws {
        notes.append("client \(index) comes")
        let instance = clients[index].folding.instance
        let visible = oracle.visible(instance)
        // What it may see from now on, and the ids of what it has, of which it may be told that they left.
        let known = visible.values + clients[index].folding.shown.keys.map(\.text.description)
        clients[index].folding.allowed = Marker.all(in: known.joined(separator: " ").utf8)
        clients[index].folding.visible = visible
        var path = "/scopes/\(instance.scope)"
        var query = instance.project.isEmpty ? [] : ["project=\(instance.project)"]
        if let epoch = clients[index].folding.epoch, let last = clients[index].folding.lastWhole {
            query += ["after=\(last)", "epoch=\(epoch)"]
            clients[index].folding.goBack(to: last)
        }
        if !query.isEmpty { path += "?" + query.joined(separator: "&") }
        guard oracle.isAllowed(instance) else {
            let answer = try await served.ask("GET", path, as: clients[index].folding.subject)
            if answer.status != 403 { problems.append("\(answer.status) for \(instance), which is forbidden") }
            if !Marker.all(in: answer.body).isEmpty { problems.append("a refusal leaks: \(answer.text)") }
            clients[index].folding.drop()
            return
        }
        clients[index].folding.isLive = false
        let reader = try await served.stream(path, as: clients[index].folding.subject)
        clients[index].reader = reader
        repeat {
            let line = try await reader.line()
            clients[index].folding.receive(Array(line.text.utf8), isEnd: line.text.hasPrefix(#"{"bye""#))
            if line.isHeartbeat { break }
        } while true
        clients[index].folding.isLive = true
        check(index)
    }

    /// Reads what a unit sends to a client.
    private mutating func readChange(_ index: Int) async throws {
        guard let reader = clients[index].reader else { return }
        let isAllowed = oracle.isAllowed(clients[index].folding.instance)
        let visible = clients[index].folding.visible
        while isAllowed ? clients[index].folding.shown != visible : clients[index].folding.bye == nil {
            let line = try await reader.line()
            clients[index].folding.receive(Array(line.text.utf8), isEnd: line.text.hasPrefix(#"{"bye""#))
            guard clients[index].folding.problems.isEmpty else { break }
        }
        check(index)
        guard !isAllowed else { return }
        if clients[index].folding.bye != "forbidden" { problems.append("another end") }
        try await leave(index)
    }

    private mutating func check(_ index: Int) {
        let client = clients[index].folding
        var found = client.problems
        if client.shown != oracle.visible(client.instance) { found.append("it shows \(client.shown)") }
        guard !found.isEmpty else { return }
        problems.append("client \(index), \(client.instance): \(found); after \(notes.suffix(5))")
    }
}
