import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

/// Edits of entities whose ids only the server knows, through lost, doubled and late answers, events before and after
/// them, and killed processes. Law: L13.
@Suite(.pooled, .tags(.model)) struct OutboxRenamingTests {
    @Test(arguments: TestScale.seeds(30))
    func `every request has the real id, and leaves unchanged under its key`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let server = RenamingServer(seed: random.next())
        var store = MemoryJournal.Store()
        var cache = try await open(store, server)
        var made: [String] = []
        for number in 0..<40 {
            switch random.weighted([4, 8, 3, 1]) {
            case 0:
                let id = "t\(made.count)"
                try await edit(cache, "p\(number)", "create", [.string(id)], key: id) { changes in
                    try changes.put(type: "file", ["id": .string(id), "n": .init(integerLiteral: Int64(number))])
                }
                made.append(id)
            case 1:
                guard !made.isEmpty else { continue }
                let id = random.pick(made)
                let input: JSONValue = [.string(id), .init(integerLiteral: Int64(number))]
                try await edit(cache, "p\(number)", "rename", input, key: id) { changes in
                    try changes.patch(type: "file", id: id, ["n": .init(integerLiteral: Int64(number))])
                }
            case 2: try await deliver(server, to: cache)
            default:
                server.beginProcess()
                await cache.stopOutbox()
                store = await store.copy()
                cache = try await open(store, server)
            }
            for _ in 0..<random.below(200) { await Task.yield() }
        }
        server.isReliable = true
        while await !cache.outboxStatuses().isEmpty {
            try Task.checkCancellation()
            try await deliver(server, to: cache)
            await Task.yield()
        }
        try await deliver(server, to: cache)
        #expect(server.problems == [], "seed \(seed)")
        for (id, value) in server.values {
            let key = EntityKey(library: "", type: "file", id: ByteString(id.filter { $0 != "\"" }))
            let found = try await cache.read(key, fields: nil).entity.map { String(decoding: $0, as: UTF8.self) }
            #expect(found == #"{"id":\#(id),"n":\#(value)}"#, "seed \(seed)")
        }
        try await cache.close()
    }

    private func open(_ store: MemoryJournal.Store, _ server: RenamingServer) async throws -> SyncCache {
        var configuration = CacheConfiguration()
        configuration.fetchTimeout = .milliseconds(1 << 40)
        return try await SyncCache.open(
            configuration: configuration, journal: MemoryJournal(store: store), mutationUpstream: server.process(),
            clock: ManualClock(skipsUpTo: 400_000))
    }

    private func edit(
        _ cache: SyncCache, _ pendingID: String, _ method: String, _ input: JSONValue, key: String,
        _ body: (inout CacheTransaction) throws -> Void
    ) async throws {
        var request = MutationRequest(method: method, input: input)
        request.key = ByteString(key)
        request.temporaryIDs = method == "rename" ? ["/0"] : []
        try await cache.optimistically(pendingID: pendingID, sending: request, body)
    }

    /// Feeds the events that the server has posted.
    private func deliver(_ server: RenamingServer, to cache: SyncCache) async throws {
        for line in server.takePosted() { try await cache.ingest(Array((line + "\n").utf8)) }
    }

    @Test func `requests of different keys begin in the order of their edits`() async throws {
        let server = OrderedMutations()
        let cache = try await SyncCache.inMemory(mutationUpstream: server)
        await cache.pauseOutbox()
        for number in 0..<24 {
            var request = MutationRequest(method: "m", input: .init(integerLiteral: Int64(number)))
            request.key = ByteString("\(number)")
            try await cache.optimistically(pendingID: "p\(number)", sending: request) { changes in
                try changes.put(type: "file", ["id": .string("\(number)")])
            }
        }
        await cache.resumeOutbox()
        while await !cache.outboxStatuses().isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(server.log == (0..<24).map { "p\($0)" })
        try await cache.close()
    }

    @Test func `a discarded edit says why, and so does each that depended on it`() async throws {
        let server = ScriptedMutations()
        let cache = try await SyncCache.inMemory()
        let seen = Mutex<[OutboxStatus]>([])
        await cache.startOutbox(server, timeout: nil) { status in seen.withLock { $0.append(status) } }
        var request = MutationRequest(method: "m", input: 1)
        request.discardsOnFailure = true
        let first = try await cache.optimistically(pendingID: "p1", sending: request) { changes in
            try changes.put(type: "file", ["id": "1"])
        }
        try await cache.optimistically(dependsOn: [first], pendingID: "p2") { changes in
            try changes.put(type: "file", ["id": "2"])
        }
        _ = await server.next()
        await server.answer(.failure(UpstreamError("no album", isRefusal: true, code: "gone")))
        while await !cache.pendingEdits().isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        let failure = MutationFailure(code: "gone", message: "no album")
        let discarded = seen.withLock { $0 }.filter { $0.state == .discarded }
        #expect(discarded.map(\.pendingID) == ["p1", "p2"])
        #expect(discarded.map(\.attempt) == [1, 0])
        #expect(discarded.map(\.failure) == [failure, failure])
        try await cache.close()
    }
}

/// A server that gives entities ids of its own, performs each mutation once, and loses requests and answers.
private final class RenamingServer: Sendable {
    struct Sent: Hashable {
        var method: ByteString
        var input: [UInt8]
        var changes: [TransactionOperation]
    }

    private struct State {
        var random: SeededGenerator
        var process = 0
        var isReliable = false
        var first: [ByteString: Sent] = [:]
        var answers: [ByteString: OptimisticCommit] = [:]
        /// The values by the JSON of ids.
        var values: [String: Int] = [:]
        /// The lines of the log.
        var posted: [String] = []
        var deliveredCount = 0
        var sequence: Int64 = 0
        var problems: [String] = []
    }

    private let state: Mutex<State>

    init(seed: UInt64) { state = Mutex(State(random: SeededGenerator(seed: seed))) }

    var problems: [String] { state.withLock { $0.problems } }
    var values: [String: Int] { state.withLock { $0.values } }
    var isReliable: Bool {
        get { state.withLock { $0.isReliable } }
        set { state.withLock { $0.isReliable = newValue } }
    }

    /// Returns the server as the present process reaches it.
    func process() -> some MutationUpstream { Connection(server: self, number: state.withLock { $0.process }) }

    /// Cuts off the present process: it is killed, and the next one reads the log from its beginning.
    func beginProcess() {
        state.withLock { state in
            state.process += 1
            state.deliveredCount = 0
        }
    }

    func takePosted() -> [String] {
        state.withLock { state in
            defer { state.deliveredCount = state.posted.count }
            return Array(state.posted[state.deliveredCount...])
        }
    }

    private struct Connection: MutationUpstream {
        let server: RenamingServer
        let number: Int

        func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
            let (answer, pause) = server.state.withLock { state -> (OptimisticCommit?, Int) in
                guard state.process == number else { return (nil, 0) }
                let fate = state.isReliable ? 5 : state.random.below(6)
                let pause = state.random.below(60)
                guard fate > 0 else { return (nil, pause) }
                let answer = RenamingServer.perform(mutation, &state)
                return (fate == 1 ? nil : answer, pause)
            }
            for _ in 0..<pause { await Task.yield() }
            guard let answer, server.state.withLock({ $0.process == number }) else {
                throw UpstreamError("the connection is lost")
            }
            return answer
        }
    }

    private static func perform(_ mutation: SentMutation, _ state: inout State) -> OptimisticCommit? {
        let sent = Sent(method: mutation.method, input: mutation.input, changes: mutation.changes)
        if let first = state.first[mutation.pendingID] {
            if first != sent { state.problems.append("\(mutation.pendingID) left as \(first), then as \(sent)") }
            return state.answers[mutation.pendingID]
        }
        state.first[mutation.pendingID] = sent
        let parts = String(decoding: mutation.input.dropFirst().dropLast(), as: UTF8.self)
            .split(separator: ",").map { String($0) }
        let number = Int(mutation.pendingID.description.dropFirst()) ?? 0
        var id = parts[0]
        var commit = OptimisticCommit(pendingID: mutation.pendingID, resourceType: "file")
        if mutation.method == "create" {
            let temporary = ByteString(id.filter { $0 != "\"" })
            let isInteger = state.random.chance(500)
            let real = isInteger ? "\(1_000 + state.values.count)" : "R\(state.values.count)"
            commit.realIDs = [temporary: ByteString(real)]
            if isInteger { commit.integerIDs = [temporary] }
            id = isInteger ? real : "\"\(real)\""
        } else if state.values[id] == nil {
            state.problems.append("\(mutation.pendingID) is about \(id), which nobody knows")
            return nil
        }
        if let last = state.values[id], last > number { state.problems.append("\(number) came after \(last)") }
        state.values[id] = number
        state.sequence += 1
        let resource = #"{"id":\#(id),"n":\#(number)}"#
        commit.confirmed = [Array(resource.utf8)]
        commit.sequence = EventSequence(state.sequence)
        state.posted.append(
            EventLine.change(
                resource, type: "file", library: "", sequence: state.sequence,
                mutation: mutation.pendingID.description))
        state.answers[mutation.pendingID] = commit
        return commit
    }
}

/// A server that writes down the order in which requests begin, and confirms them.
private final class OrderedMutations: MutationUpstream {
    private let state = Mutex<[String]>([])
    var log: [String] { state.withLock { $0 } }

    nonisolated(nonsending) func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
        state.withLock { $0.append(mutation.pendingID.description) }
        return OptimisticCommit(pendingID: mutation.pendingID, confirmed: [])
    }
}
