import ScopeTestKit
import Testing
import TidemarkModel
import TidemarkTesting
import TidemarkViews

@testable import TidemarkScopes

/// The entities of the oracle, as the views read them.
final class OracleEntities: ListableEntities {
    var states: [ViewKey: ViewEntityState] = [:]

    func state(of key: ViewKey) -> ViewEntityState { states[key] ?? .unknown }

    func ids(of type: ByteString, after id: ByteString?, countMax: Int) -> [ByteString] {
        let ids = states.compactMap { key, state in key.type == type && state.resource != nil ? key.id : nil }
        return Array(ids.filter { candidate in id.map { $0 < candidate } ?? true }.sorted().prefix(countMax))
    }
}

/// A server with scopes and its clients, driven step by step and compared with the oracle.
struct ScopeWorld {
    struct Connection {
        var client: FoldingClient
        /// nil while the client is not connected.
        var reader: ScopeReader?
        var handle: ScopeHandle?
        /// True if the client could not be resumed since it was connected last, whatever it asks for.
        var mayGetState = true
        /// What its scope showed after the last step.
        var visible: [ViewKey: String] = [:]
    }

    var random: SeededGenerator
    let entities = OracleEntities()
    var oracle = ScopeOracle()
    var scopes: ScopeSet
    var limits: ScopeLimits
    var connections: [Connection] = []
    /// The logs of scopes that nobody has, by their library.
    var stored: [ScopeOracle.Instance: ScopeLogImage] = [:]
    var now: Int64 = 1_000
    /// The units that changed what an instance may see.
    private(set) var unitCounts: [ScopeOracle.Instance: Int] = [:]
    private var nextMarker = 0
    private var nextNonce: UInt64 = 0
    /// Lines that were written, and states and resumptions among them.
    private(set) var lineCount = 0
    private(set) var resumptionCount = 0
    private(set) var settledCount = 0
    /// Faults that were found, without the expectations of Testing, so that planted ones can be counted.
    var problems: [String] = []

    static let subjects = ["u1", "u2", "u3"]
    static let projects = ["p1", "p2"]

    init(seed: UInt64, limits: ScopeLimits) throws {
        random = SeededGenerator(seed: seed)
        self.limits = limits
        scopes = try ScopeWorld.scopes(ScopeFiles.oracle, limits)
    }

    static func scopes(_ file: String, _ limits: ScopeLimits) throws -> ScopeSet {
        ScopeSet(try ScopeFile(json: Array(file.utf8)), .test(), limits: limits)
    }

    // MARK: Entities

    mutating func marker() -> String {
        nextMarker += 1
        return "X\(nextMarker)X"
    }

    /// Draws the members of an entity.
    mutating func entity(_ type: String, _ id: String) -> OracleEntity {
        func member(_ name: String, _ value: String, spelling: String? = nil) -> OracleEntity.Member {
            OracleEntity.Member(name: name, spelling: spelling ?? name, value: "\"\(value)\"")
        }
        var members = [member("id", id)]
        switch type {
        case "project":
            let isPublic = Bool.random(using: &random)
            members.append(OracleEntity.Member(name: "public", spelling: "public", value: "\(isPublic)"))
        case "issue":
            members.append(member("project", one(ScopeWorld.projects)))
            members.append(member("owner", one(ScopeWorld.subjects)))
        case "comment", "block":
            members.append(member("issue", ScopeWorld.id("issue", count(1...5))))
            members.append(member("user", one(ScopeWorld.subjects)))
        default:
            members.append(member("user", one(ScopeWorld.subjects)))
            members.append(member("project", one(ScopeWorld.projects)))
        }
        if type == "user" { members.removeLast(2) }
        members.append(member("title", marker()))
        // Hidden members, in spellings that a careless comparison of names would let through.
        let spelling = one(["internal_notes", "internal_notes", #"internal\u005fnotes"#, #"\u0069nternal_notes"#])
        members.append(member("internal_notes", marker(), spelling: spelling))
        if chance(10) { members.append(member("internal_notes", marker())) }
        if chance(5) { members.append(member("title", marker())) }
        members.append(member("email", marker()))
        return OracleEntity(members: members)
    }

    /// The id of an entity, which is a marker too.
    static func id(_ type: String, _ number: Int) -> String {
        let types = ["issue", "comment", "membership", "block"]
        return "\(type.prefix(1))X\(9_000_000 + 10 * (types.firstIndex(of: type) ?? 0) + number)X"
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func one<Element>(_ elements: [Element]) -> Element { elements[count(0...elements.count - 1)] }

    /// Draws a unit of changes: writes, edits of one member, deletes and removals.
    mutating func unit() -> [ViewChange] {
        var changes: [ViewChange] = []
        for _ in 0..<(chance(70) ? 1 : count(2...6)) {
            let type = one(["project", "issue", "issue", "comment", "user", "membership", "membership", "block"])
            let id: String =
                switch type {
                case "project": one(ScopeWorld.projects)
                case "user": one(ScopeWorld.subjects)
                default: ScopeWorld.id(type, count(1...5))
                }
            let key = ViewKey(type: ByteString(type), id: ByteString(id))
            let old = entities.states[key] ?? .unknown
            let new: ViewEntityState
            switch count(0...9) {
            case 0, 1:
                (oracle.entities[key], new) = (nil, .deleted)
            case 2:
                (oracle.entities[key], new) = (nil, .unknown)
            case 3...6 where oracle.entities[key] != nil:
                var entity = oracle.entities[key] ?? OracleEntity(members: [])
                let index = count(1...entity.members.count - 1)
                let fresh = self.entity(type, id)
                let name = entity.members[index].name
                if let other = fresh.members.last(where: { $0.name == name }) {
                    entity.members[index].value = other.value
                }
                (oracle.entities[key], new) = (entity, .present(Array(entity.text.utf8)))
            default:
                let entity = self.entity(type, id)
                (oracle.entities[key], new) = (entity, .present(Array(entity.text.utf8)))
            }
            entities.states[key] = new
            changes.append(ViewChange(key, from: old, to: new))
        }
        return changes
    }

    /// Applies a unit at the server, and lets every client see in the oracle what it may see since.
    mutating func apply(_ changes: [ViewChange], settling origin: ScopeOrigin? = nil) {
        let before = Dictionary(connections.map { ($0.client.instance, $0.visible) }) { first, _ in first }
        _ = scopes.apply(changes, settling: origin, now: now, entities)
        noteVisible()
        for (instance, visible) in before where oracle.visible(instance) != visible {
            unitCounts[instance, default: 0] += 1
        }
    }

    /// The markers of what each client may see now join those that it may see.
    mutating func noteVisible() {
        for index in connections.indices {
            let visible = oracle.visible(connections[index].client.instance)
            connections[index].visible = visible
            connections[index].client.visible = visible
            if !oracle.exists(connections[index].client.instance)
                || !oracle.isAllowed(connections[index].client.instance)
            {
                // Only ids may still be told: that they left.
                connections[index].client.allowed = connections[index].client.allowed.filter { $0 > 9_000_000 }
            }
            connections[index].client.allowed.formUnion(Marker.all(in: visible.values.joined(separator: " ").utf8))
        }
    }

    // MARK: Clients

    mutating func nonce() -> UInt64 {
        nextNonce += 1
        return nextNonce
    }

    mutating func identity() -> [UInt8] { ScopeSecret.bytes(nonce()) }

    /// Opens the scope of an instance; nil if it is refused.
    mutating func open(_ instance: ScopeOracle.Instance) throws -> ScopeHandle? {
        guard let definition = scopes.file.scopes[ByteString(instance.scope)] else { return nil }
        let needsProject = instance.scope == "project"
        let parameters = try ScopeParameters(
            definition, claims: Array(#"{"sub":"\#(instance.me)"}"#.utf8),
            address: needsProject ? [("project" as ByteString, ByteString(instance.project))] : [])
        let handle = try scopes.open(
            ByteString(instance.scope), parameters, restoring: stored.removeValue(forKey: instance))
        while !scopes.fill(handle, entities, countMax: count(1...8), identity: identity(), now: now) {
            if chance(15) { apply(unit()) }
        }
        if scopes.isForbidden(handle) != !oracle.isAllowed(instance) {
            problems.append("\(instance) is forbidden: \(scopes.isForbidden(handle))")
        }
        return handle
    }

    mutating func connect(_ index: Int) throws {
        let instance = connections[index].client.instance
        noteVisible()
        // What it may see from now on, and the ids of what it has, of which it may be told that they left.
        let known = connections[index].visible.values + connections[index].client.shown.keys.map(\.text.description)
        connections[index].client.allowed = Marker.all(in: known.joined(separator: " ").utf8)
        guard let handle = try open(instance) else {
            connections[index].client.drop()
            return
        }
        if scopes.isForbidden(handle) {
            release(handle, instance)
            connections[index].client.drop()
            return
        }
        var client = connections[index].client
        client.isLive = false
        var resumption: ScopeReader.Resumption?
        if let epoch = client.epoch, let last = client.last, let whole = client.lastWhole ?? client.last {
            // Inside a unit too, which counts as its start.
            resumption = ScopeReader.Resumption(after: chance(50) ? last : whole, epoch: ByteString(epoch))
            if let after = resumption?.after { client.goBack(to: after.rawValue) }
            resumptionCount += 1
        }
        connections[index].client = client
        connections[index].reader = ScopeReader(subject: ByteString(client.subject), resumption: resumption)
        connections[index].handle = handle
    }

    mutating func disconnect(_ index: Int) {
        guard let handle = connections[index].handle else { return }
        if var reader = connections[index].reader { scopes.detach(&reader, from: handle) }
        connections[index].reader = nil
        connections[index].handle = nil
        connections[index].client.disconnect()
        release(handle, connections[index].client.instance)
    }

    mutating func release(_ handle: ScopeHandle, _ instance: ScopeOracle.Instance) {
        let isHeld = connections.contains { $0.handle == handle }
        if let image = scopes.release(handle, entities) {
            stored[instance] = image
        } else if !isHeld {
            stored[instance] = nil
        }
    }

    /// Reads what a client is sent.
    ///
    /// - Parameters:
    ///   - room: The bytes of one step.
    ///   - lost: The most lines that the client loses with its connection.
    mutating func read(_ index: Int, room: Int, steps: Int = .max, lost: Int = 0) {
        guard var reader = connections[index].reader, let handle = connections[index].handle else { return }
        var lines: [ScopeLine] = []
        for _ in 0..<min(steps, 10_000) {
            let more = scopes.decide(handle, for: &reader, room: room, nonce: nonce(), entities)
            if more.isEmpty { break }
            lines += more
        }
        connections[index].reader = reader
        lineCount += lines.count
        let kept = lost > 0 ? lines.dropLast(count(0...lost)) : lines[...]
        for line in kept { connections[index].client.receive(line.bytes, isEnd: line.isEnd) }
        // What is lost on the way was written all the same.
        for line in lines[kept.endIndex...] { connections[index].client.search(line.bytes) }
        if lost > 0 { disconnect(index) }
    }
}
