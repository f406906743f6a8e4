import ScopeTestKit
import Testing
import TidemarkModel
import TidemarkTesting
import TidemarkViews

@testable import TidemarkScopes

/// One random history: a server, its clients, and everything that can happen to them.
struct ScopeHistory {
    private(set) var world: ScopeWorld
    private var disk = StoredLogs()
    /// Clients that have to be resumed, because nothing happened that lets the server forget.
    private var mustResume: Set<Int> = []
    /// Clients that had everything after the last step, with the number of their last line, and that of their position,
    /// which is higher if units came and went unseen while the client did not read.
    private var caughtUp: [Int: (last: UInt64, position: UInt64)] = [:]
    /// For clients that were connected since, the difference of the oracle's count of units to the client's number.
    private var numbering: [Int: (state: Int, difference: Int)] = [:]
    private let keepsHistory: Bool
    private var isChanged = false

    init(seed: UInt64) throws {
        var limits = ScopeLimits()
        keepsHistory = seed % 3 != 0
        if !keepsHistory { (limits.historySecondCount, limits.historyPercent) = (20, 20) }
        if seed % 2 == 0 { limits.lineByteCountMax = ScopeEnvelope.byteCountMax + 300 }
        if seed % 5 == 0 { limits.snapshotCountMax = 2 }
        world = try ScopeWorld(seed: seed, limits: limits)
    }

    /// Runs the history.
    ///
    /// - Returns: What went wrong; empty if nothing did.
    mutating func run(stepCount: Int) throws -> [String] {
        for _ in 0..<world.count(0...30) { world.apply(world.unit()) }
        for _ in 0..<world.count(2...5) {
            let scope = world.one(["project", "project", "project", "mine", "public"])
            let me = world.one(ScopeWorld.subjects)
            let instance = ScopeOracle.Instance(
                scope: scope, me: scope == "public" ? "" : me,
                project: scope == "project" ? world.one(ScopeWorld.projects) : "")
            world.connections.append(ScopeWorld.Connection(client: FoldingClient(instance, subject: me)))
        }
        for step in 0..<stepCount {
            try self.step()
            let problems = world.problems + world.connections.flatMap(\.client.problems)
            if !problems.isEmpty { return problems.map { "step \(step): \($0)" } }
        }
        try finish()
        return world.problems + world.connections.flatMap(\.client.problems)
    }

    // MARK: Steps

    private mutating func step() throws {
        world.now += Int64(world.count(0...3))
        let before = world.connections.map { world.oracle.visible($0.client.instance) }
        var isSingle = false
        switch world.count(0...99) {
        case 0..<55:
            world.apply(world.unit())
            isSingle = true
        case 55..<65:
            edit()
            isSingle = true
        case 65..<85:
            try connectOne()
        case 85..<92:
            cutOne()
        case 92..<94 where !isChanged:
            try changeFile()
        case 94..<97:
            try restart(isKill: world.chance(50))
        default:
            heartbeats()
        }
        for index in world.connections.indices { writeToDisk(index) }
        for index in world.connections.indices {
            world.connections[index].client.isLive = isSingle && caughtUp[index] != nil
            if world.chance(25) {
                world.read(index, room: world.count(1...600), steps: world.count(0...2))
            } else {
                world.read(index, room: world.one([1, 300, 1 << 20]))
            }
            try check(index, before: isSingle ? before[index] : nil)
        }
    }

    private mutating func connectOne() throws {
        let index = world.count(0...world.connections.count - 1)
        guard world.connections[index].reader == nil else { return }
        let stateCount = world.connections[index].client.stateCount
        numbering[index] = nil
        try world.connect(index)
        // A client that is refused drops what it has.
        if world.connections[index].handle == nil { mustResume.remove(index) }
        guard mustResume.contains(index) else { return }
        world.read(index, room: 1 << 20)
        if world.connections[index].client.stateCount > stateCount {
            world.problems.append("client \(index) had to be resumed and got a state")
        }
    }

    private mutating func cutOne() {
        let index = world.count(0...world.connections.count - 1)
        guard world.connections[index].reader != nil else { return }
        // At any byte: a line that is cut is lost.
        world.read(index, room: world.count(1...600), steps: world.count(0...3), lost: world.count(1...3))
        if world.connections[index].reader != nil { world.disconnect(index) }
        caughtUp[index] = nil
    }

    private mutating func edit() {
        let author = world.one(ScopeWorld.subjects)
        // Nobody edits through a scope that is forbidden or gone.
        let open = world.connections.filter {
            $0.handle != nil && $0.client.subject == author && world.oracle.exists($0.client.instance)
        }
        let through = open.isEmpty ? nil : world.one(open).handle.flatMap { world.scopes.isForbidden($0) ? nil : $0 }
        let id = "edit-\(author)-\(world.nonce())"
        world.apply(
            world.unit(),
            settling: ScopeOrigin(
                ScopeEdit(subject: ByteString(author), mutationID: ByteString(id)), through: through))
        edits.append((id, through))
    }

    /// The edits so far, with the scopes through which they were made.
    private var edits: [(id: String, through: ScopeHandle?)] = []

    private mutating func heartbeats() {
        for index in world.connections.indices {
            guard let reader = world.connections[index].reader, let handle = world.connections[index].handle,
                let line = world.scopes.heartbeat(handle, for: reader)
            else { continue }
            world.connections[index].client.receive(line.bytes, isEnd: line.isEnd)
        }
    }

    // MARK: The server

    private mutating func writeToDisk(_ index: Int) {
        guard let handle = world.connections[index].handle, world.chance(50) else { return }
        disk.write(world.connections[index].client.instance, world.scopes, handle, world.entities)
    }

    private mutating func restart(isKill: Bool) throws {
        var images: [ScopeOracle.Instance: ScopeLogImage] = world.stored
        for index in world.connections.indices {
            let instance = world.connections[index].client.instance
            guard let handle = world.connections[index].handle else { continue }
            if isKill {
                if let head = world.scopes.head(of: handle) { disk.reserve(instance, head) }
                images[instance] = disk.images[instance]
            } else {
                images[instance] = world.scopes.image(handle, since: nil, world.entities)
            }
        }
        for index in world.connections.indices {
            world.connections[index].reader = nil
            world.connections[index].handle = nil
            world.connections[index].client.disconnect()
        }
        if isKill { mustResume = [] }
        caughtUp = [:]
        numbering = [:]
        disk.forget()
        world.stored = images
        let file = isChanged ? ScopeFiles.oracleChanged : ScopeFiles.oracle
        world.scopes = try ScopeWorld.scopes(file, world.limits)
        edits = []
    }

    private mutating func changeFile() throws {
        isChanged = true
        mustResume = []
        caughtUp = [:]
        numbering = [:]
        disk.forget()
        world.stored = [:]
        world.oracle.isChanged = true
        let file = try ScopeFile(json: Array(ScopeFiles.oracleChanged.utf8))
        let (changed, gone) = world.scopes.replace(file, now: world.now, world.entities)
        world.noteVisible()
        for index in world.connections.indices {
            guard let handle = world.connections[index].handle, var reader = world.connections[index].reader else {
                continue
            }
            let instance = world.connections[index].client.instance
            if gone.contains(handle), instance.scope != "mine" { world.problems.append("\(instance) is gone") }
            guard changed.contains(handle) else { continue }
            // The stream goes on with the new scope; nothing of the old one may be sent any more.
            world.scopes.detach(&reader, from: handle)
            let visible = world.oracle.visible(instance).values.joined(separator: " ")
            world.connections[index].client.allowed = Marker.all(in: visible.utf8)
            world.release(handle, instance)
            world.connections[index].reader = nil
            world.connections[index].handle = nil
            guard let fresh = try world.open(instance) else {
                world.connections[index].client.drop()
                continue
            }
            guard !world.scopes.isForbidden(fresh) else {
                world.release(fresh, instance)
                world.connections[index].client.drop()
                continue
            }
            world.connections[index].handle = fresh
            world.connections[index].reader = reader
        }
        edits = []
    }

    // MARK: Checks

    /// Compares a client with the oracle, once it has everything.
    private mutating func check(_ index: Int, before: [ViewKey: String]?) throws {
        let connection = world.connections[index]
        guard let reader = connection.reader, let handle = connection.handle else { return }
        let visible = world.oracle.visible(connection.client.instance)
        for id in connection.client.settled where !id.hasPrefix("edit-\(connection.client.subject)-") {
            world.problems.append("\(connection.client.subject) is told of \(id)")
        }
        if let bye = connection.client.bye { return end(index, bye) }
        guard world.scopes.isCaughtUp(reader, with: handle), connection.client.isWhole else {
            caughtUp[index] = nil
            return
        }
        if connection.client.shown != visible {
            let kept = connection.client.shown.filter { visible[$0.key] != $0.value }.keys.map(\.text)
            let lacking = visible.filter { connection.client.shown[$0.key] != $0.value }.keys.map(\.text)
            world.problems.append("\(connection.client.instance) keeps \(kept) and lacks \(lacking)")
        }
        world.connections[index].client.allowed = Marker.all(in: visible.values.joined(separator: " ").utf8)
        mustResume.remove(index)
        if keepsHistory { mustResume.insert(index) }
        if let last = connection.client.last {
            if let before, let former = caughtUp[index] { checkNumbers(index, former, last, before != visible) }
            if let before, caughtUp[index] != nil, before != visible { checkCount(index, last) }
            let position = reader.position.flatMap { reader.epoch?.number(of: $0) }
            caughtUp[index] = (last, position?.rawValue ?? last)
        }
        for (id, through) in edits where through == connection.handle && through != nil && keepsHistory {
            guard id.hasPrefix("edit-\(connection.client.subject)-") else { continue }
            if !connection.client.settled.contains(id) { world.problems.append("\(id) is not settled") }
        }
    }

    /// A unit takes one number if it shows something, and none otherwise: no gap tells of what is not to be seen.
    private mutating func checkNumbers(
        _ index: Int, _ former: (last: UInt64, position: UInt64), _ last: UInt64, _ shows: Bool
    ) {
        let client = world.connections[index].client
        let unit = shows ? former.position >> 20 + 1 : former.last >> 20
        if last >> 20 != unit { world.problems.append("\(client.instance) goes from \(former) to \(last)") }
        // Only the author's own edits take numbers beside units.
        let isAuthor = edits.last.map { $0.id.hasPrefix("edit-\(client.subject)-") } ?? false
        if !shows, last != former.last, !isAuthor {
            world.problems.append("\(client.instance) goes from \(former) to \(last) without a change")
        }
    }

    /// The number of a unit is the oracle's count of units, from some beginning: nothing else was counted.
    private mutating func checkCount(_ index: Int, _ last: UInt64) {
        let instance = world.connections[index].client.instance
        let difference = (world.unitCounts[instance] ?? 0) - Int(last >> 20)
        let state = world.connections[index].client.stateCount
        let known = numbering.updateValue((state, difference), forKey: index) ?? (state, difference)
        if known.state == state, known.difference != difference {
            world.problems.append("\(instance) counts what it does not show, at \(last)")
        }
    }

    private mutating func end(_ index: Int, _ bye: String) {
        let client = world.connections[index].client
        switch bye {
        case "forbidden":
            if world.oracle.isAllowed(client.instance) { world.problems.append("\(client.instance) is forbidden") }
        case "not_found":
            if world.oracle.exists(client.instance) { world.problems.append("\(client.instance) is not found") }
        default: world.problems.append("the stream of \(client.instance) ends by \(bye)")
        }
        // Everything left before the end.
        if client.isWhole, !client.shown.isEmpty {
            world.problems.append("\(client.instance) keeps \(client.shown.keys.map(\.text)) at the end")
        }
        world.disconnect(index)
        world.connections[index].client.drop()
        mustResume.remove(index)
        caughtUp[index] = nil
    }

    private mutating func finish() throws {
        for index in world.connections.indices {
            if world.connections[index].reader == nil { try world.connect(index) }
        }
        for index in world.connections.indices { world.connections[index].client.isLive = false }
        // A delivery that waits for a place of others goes on behind them.
        for _ in 0..<world.connections.count + 1 {
            for index in world.connections.indices { world.read(index, room: 1 << 20) }
        }
        for index in world.connections.indices {
            try check(index, before: nil)
            if let reader = world.connections[index].reader, let handle = world.connections[index].handle,
                !world.scopes.isCaughtUp(reader, with: handle)
            {
                world.problems.append("client \(index) is never caught up")
            }
        }
        for scope in world.scopes.scopes.values where scope.log?.snapshots.isEmpty == false {
            world.problems.append("a snapshot is kept")
        }
        for index in world.connections.indices { world.disconnect(index) }
        if !world.scopes.scopes.isEmpty || !world.scopes.owners.isEmpty { world.problems.append("a scope is kept") }
    }
}
