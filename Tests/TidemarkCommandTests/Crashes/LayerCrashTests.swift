import Foundation
import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

#if canImport(Glibc)
    import Glibc
#endif

/// Mutations of a session that is killed. Laws: L2, L5. `TIDEMARK_SCALE=kills=500` sets the number of kills; a failure
/// names the kill.
@Suite(.pooled(minutes: 600), .tags(.crash, .process)) struct LayerCrashTests {
    /// The number of kills before the next database.
    private static let killsOfOneDatabase = 5

    @Test func `after SIGKILL every answered mutation is there whole, and none that was not sent`()
        async throws
    {
        let killCount = TestScale.kills.number ?? 10
        var random = SeededGenerator(seed: 5)
        var folder = try TemporaryFolder()
        var history = History()
        var (answered, checked) = (0, 0)
        for kill in 0..<max(1, killCount) {
            if kill % LayerCrashTests.killsOfOneDatabase == 0 {
                folder = try TemporaryFolder()
                history = History()
            }
            var traffic = Traffic(history, random: random)
            let lines = (0..<600).map { _ in traffic.line() }
            random = traffic.random
            let input = lines.reduce(into: [UInt8]()) { $0 += $1 + [0x0A] }
            let sentByteCount = random.below(4) == 0 ? random.below(input.count) : nil
            let interruption =
                sentByteCount.map { CommandInterruption(signal: SIGKILL, afterInputBytes: $0) }
                ?? CommandInterruption(signal: SIGKILL, afterOutputLines: 1 + random.below(traffic.requestCount - 1))
            let result = try await CommandRunner().run(
                ["run", "--db", folder.path("a.db")], input: input, interruption: interruption)
            #expect(result.status == 128 + SIGKILL, "kill \(kill + 1): \(result.errorText)")
            history = traffic.history(sentByteCount: sentByteCount, lines: lines)
            for line in result.output.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
                answered += try history.take(answer: Array(line), kill: kill + 1)
            }
            checked += try await check(&history, folder, kill: kill + 1)
            KillProgress.tell(kill + 1, of: killCount, "sessions, \(answered) answers, \(checked) layers found")
        }
        // Otherwise nothing was tried.
        #expect(answered > killCount * 20)
        #expect(checked > killCount * 5)
    }

    /// Compares the layers of the database with the history.
    ///
    /// - Returns: The number of layers that were found.
    private func check(_ history: inout History, _ folder: TemporaryFolder, kill: Int) async throws -> Int {
        let path = folder.path("a.db")
        // The session was killed before there was a database for readers, so no request was answered.
        let pending = try await CommandRunner().run(["pending", "--db", path, "--json"])
        guard pending.status == 0 else {
            #expect(!history.isAnswered, "kill \(kill): \(pending.errorText)")
            history = History()
            return 0
        }
        let verify = try await CommandRunner().run(["verify", "--db", path])
        #expect(verify.status == 0, "kill \(kill): \(verify.outputText)")
        let parsed = try ReferenceJSONParser.parse(pending.output.filter { $0 != 0x0A })
        let layers = try #require(parsed.member("pending")?.elements)
        var found: [(id: Int, state: String)] = []
        for layer in layers {
            let name = String(decoding: try #require(layer.member("pending_id")?.text), as: UTF8.self)
            let id = try #require(Int(name.dropFirst()))
            let changes = try #require(layer.member("changes")).written
            let isWhole = changes == history.mutations[id].map { Array($0.changes.utf8) }
            #expect(isWhole, "kill \(kill): layer \(name) is not what was sent")
            let state = try #require(layer.member("state")?.text)
            found.append((id, String(decoding: state, as: UTF8.self)))
        }
        #expect(found.map(\.id) == found.map(\.id).sorted(), "kill \(kill): layers are out of order")
        let states = Dictionary(found.map { ($0.id, $0.state) }, uniquingKeysWith: { first, _ in first })
        for (id, mutation) in history.mutations.sorted(by: { $0.key < $1.key }) {
            let isRight = mutation.allowed.contains(states[id] ?? "gone")
            #expect(isRight, "kill \(kill): layer \(id) is \(states[id] ?? "gone"), not one of \(mutation.allowed)")
        }
        // The layers that were found are on the disk, and the next run begins with them.
        history = History(
            mutations: Dictionary(
                uniqueKeysWithValues: found.compactMap { id, state in
                    history.mutations[id].map { (id, Mutation(changes: $0.changes, allowed: [state])) }
                }), lastID: history.lastID)
        return found.count
    }

    /// A mutation as the host knows it.
    private struct Mutation {
        /// The changes as JSON, as `pending` prints them.
        var changes: String
        /// The states in which the mutation may be found, or `gone`.
        var allowed: Set<String>
    }

    /// The requests that the host sent, and their answers.
    private struct History {
        var mutations: [Int: Mutation] = [:]
        var lastID = 0
        var isAnswered = false
        /// The open requests by id: the mutation, and its state after an answer.
        var waiting: [Int: (mutation: Int, outcome: String)] = [:]

        /// Applies an answer.
        ///
        /// - Returns: 1 for an answer to a request, otherwise 0.
        mutating func take(answer line: [UInt8], kill: Int) throws -> Int {
            let answer = try ReferenceJSONParser.parse(line)
            guard answer.member("method") == nil, let id = answer.member("id"),
                let number = Int(String(decoding: id.written, as: UTF8.self)), let request = waiting[number]
            else { return 0 }
            #expect(answer.member("error") == nil, "kill \(kill): \(String(decoding: line, as: UTF8.self))")
            isAnswered = true
            // Later requests about the mutation may have taken effect as well, so their outcomes stay allowed.
            let later = waiting.filter { $0.key > number && $0.value.mutation == request.mutation }.map(\.value.outcome)
            let settling =
                mutations[request.mutation]?.allowed.contains("settling") == true ? ["gone", "settling"] : []
            mutations[request.mutation]?.allowed = Set([request.outcome] + later + settling)
            return 1
        }
    }

    /// Makes the lines that a host sends in one run.
    private struct Traffic {
        private(set) var random: SeededGenerator
        private(set) var requestCount = 0
        private let before: History
        /// The effect of each line: the mutation that it changes, or nil.
        private var effects: [(request: Int?, mutation: Int, outcome: String, changes: String?)?] = []
        /// The mutations that this host has added and not ended.
        private var open: [Int]
        private var lastID: Int

        init(_ history: History, random: SeededGenerator) {
            before = history
            self.random = random
            open = history.mutations.keys.sorted()
            lastID = history.lastID
        }

        mutating func line() -> [UInt8] {
            switch random.below(10) {
            case 0, 1, 2:
                effects.append(nil)
                let resource =
                    "{\"id\":\"f\(random.below(40))\",\"n\":\(random.below(1_000)),\"text\":\"\(padding())\"}"
                return event("{\"ResourceChanged\":{\"resource_type\":\"file\",\"resource\":\(resource)}}")
            case 3 where !open.isEmpty:
                // The server's event of a mutation settles it without a notification.
                let id = open.remove(at: random.below(open.count))
                effects.append((nil, id, "gone", nil))
                // Its type is another one: an entity of the edit's type would tell the real id of one that it adds.
                let event = "{\"ResourceChanged\":{\"resource_type\":\"mark\",\"resource\":{\"id\":\"f1\"}}}"
                return Array("{\"library_id\":\"a\",\"mutation_id\":\"p\(id)\",\"event\":\(event)}".utf8)
            case 4 where !open.isEmpty:
                let id = open.remove(at: random.below(open.count))
                return request("rollback", "\"pending_id\":\"p\(id)\"", id, "gone")
            case 5 where !open.isEmpty:
                let id = open.remove(at: random.below(open.count))
                // An empty list would delete in the base, and leave other layers without the entity that they patch.
                let confirmed = "\"confirmed\":[{\"id\":\"f2\"}],\"resource_type\":\"file\""
                return request("commit", "\"pending_id\":\"p\(id)\",\(confirmed)", id, "gone")
            case 6 where !open.isEmpty:
                let id = open.remove(at: random.below(open.count))
                return request("commit", "\"pending_id\":\"p\(id)\",\"sequence\":1000000000", id, "confirmed")
            default:
                lastID += 1
                open.append(lastID)
                let changes =
                    "["
                    + (0...random.below(random.below(8) == 0 ? 60 : 3)).map { _ in change() }
                    .joined(separator: ",") + "]"
                let params = "\"pending_id\":\"p\(lastID)\",\"library_id\":\"a\",\"changes\":\(changes)"
                return request("update", params, lastID, "pending", changes: changes)
            }
        }

        /// Returns the host's history after a number of bytes was sent; nil for all.
        func history(sentByteCount: Int?, lines: [[UInt8]]) -> History {
            var history = before
            var offset = 0
            for (line, effect) in zip(lines, effects) {
                // A line counts as sent only when it went out complete, with its LF.
                offset += line.count + 1
                if let sentByteCount, offset > sentByteCount { break }
                guard let effect else { continue }
                if let changes = effect.changes {
                    history.lastID = effect.mutation
                    history.mutations[effect.mutation] = Mutation(changes: changes, allowed: ["gone"])
                }
                history.mutations[effect.mutation]?.allowed.insert(effect.outcome)
                if let request = effect.request {
                    history.waiting[request] = (effect.mutation, effect.outcome)
                } else {
                    history.mutations[effect.mutation]?.allowed.insert("settling")
                }
            }
            return history
        }

        private mutating func request(
            _ method: String, _ params: String, _ mutation: Int, _ outcome: String, changes: String? = nil
        ) -> [UInt8] {
            requestCount += 1
            effects.append((requestCount, mutation, outcome, changes))
            let head = "\"jsonrpc\":\"2.0\",\"id\":\(requestCount),\"method\":\"optimistic.\(method)\""
            return Array("{\(head),\"params\":{\(params)}}".utf8)
        }

        private func event(_ event: String) -> [UInt8] { Array("{\"library_id\":\"a\",\"event\":\(event)}".utf8) }

        private mutating func change() -> String {
            let id = "f\(random.below(40))"
            let head = "\"resource_type\":\"file\""
            switch random.below(4) {
            case 0: return "{\"op\":\"put\",\(head),\"resource\":{\"id\":\"\(id)\",\"m\":\"\(padding())\"}}"
            case 1: return "{\"op\":\"delete\",\(head),\"id\":\"\(id)\"}"
            case 2: return "{\"op\":\"remove_field\",\(head),\"id\":\"\(id)\",\"field\":\"text\"}"
            default:
                let unset = random.below(2) == 0 ? ",\"unset\":[\"n\"]" : ""
                return "{\"op\":\"patch\",\(head),\"id\":\"\(id)\",\"fields\":{\"k\":\"\(padding())\"}\(unset)}"
            }
        }

        private mutating func padding() -> String { String(repeating: "ab", count: random.below(60)) }
    }
}
