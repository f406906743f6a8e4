import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

/// Every order of a few operations on two entities. Laws: L2, L5, L6.
@Suite(.pooled, .tags(.model)) struct OptimisticExhaustiveTests {
    /// The kind of layer, and the server's answer to it.
    enum Style: CaseIterable, Sendable {
        /// Patches that are confirmed with the server's resources and a place ahead of the log.
        case confirmedPatches
        /// Patches that wait for a place in the log.
        case awaitedPatches
        /// Deletes that wait for their event.
        case deletes
        /// Puts with temporary ids that get real ones.
        case renamedPuts
    }

    private enum Move: Hashable {
        case event(Int)
        case update(Int)
        case commit(Int)
        case rollBack(Int)
        case echo(Int)
        case crash

        static var all: [Move] {
            [0, 1].flatMap { [.event($0), .update($0), .commit($0), .rollBack($0), .echo($0)] } + [.crash]
        }
    }

    private static let name = ReferenceQueryName(
        library: Array("a".utf8), method: Array("m".utf8), input: Array("{}".utf8))
    private static let rule = ReferenceQueryName(
        library: Array("a".utf8), method: Array("m".utf8), input: Array("1".utf8))

    @Test(arguments: Style.allCases)
    func `in every order of events, edits, confirmations, rollbacks, echoes and crashes both agree`(
        style: Style
    ) async throws {
        // Every style goes as deep as the first one when more seeds are requested.
        let depth = style == .confirmedPatches || TestScale.seeds.isAsked ? 5 : 4
        var open: [[Move]] = [[]]
        var stepCount = 0
        let start = try await Start()
        while var path = open.popLast() {
            var subject = try await Subject(style, start)
            // All steps but the last were compared on another path.
            for move in path.dropLast() { _ = try await subject.perform(move, isKnown: true) }
            if let move = path.last {
                let problems = try await subject.perform(move)
                guard problems.isEmpty else {
                    Issue.record("\(style), \(path): \(problems.joined(separator: "\n"))")
                    return
                }
            }
            while true {
                stepCount += 1
                var problems = try await subject.compare()
                // A refused operation changes nothing, so no path has to begin with it.
                for move in Move.all where subject.isRefused(move) { problems += try await subject.perform(move) }
                guard problems.isEmpty else {
                    Issue.record("\(style), \(path): \(problems.joined(separator: "\n"))")
                    return
                }
                guard path.count < depth else { break }
                let moves = Move.all.filter { subject.isWorthwhile($0, after: path) }
                guard let first = moves.first else { break }
                open += moves.dropFirst().map { path + [$0] }
                problems = try await subject.perform(first)
                path.append(first)
                guard problems.isEmpty else {
                    Issue.record("\(style), \(path): \(problems.joined(separator: "\n"))")
                    return
                }
            }
        }
        #expect(stepCount > (depth == 5 ? 3_000 : 500))
    }

    /// Two entities, a list of them, and a list with a rule, as they are on the disk.
    private struct Start {
        let store = MemoryJournal.Store()
        let model: ReferenceCache

        init() async throws {
            let clock = ManualClock()
            let fixture = try await QueryFixture.open(MemoryJournal(store: store), clock: clock, hasUpstream: false)
            var walk = OptimisticWalk(fixture, ReferenceCache(now: clock.now()), names: [])
            var answer = CacheAnswer(
                type: "file", resources: [#"{"id":"x","n":1}"#, #"{"id":"y","n":2}"#, #"{"id":"z","n":3}"#])
            var problems = try await walk.perform(.put(OptimisticExhaustiveTests.name, answer))
            answer.rule = #"{"resource_type":"file","order":[{"path":"/n"}],"limit":2}"#
            problems += try await walk.perform(.put(OptimisticExhaustiveTests.rule, answer))
            problems += try await walk.perform(
                .event(
                    .change(
                        library: "a", type: "file", resources: [#"{"id":"z","n":3}"#], sequence: 1, merges: false,
                        isIndex: false)))
            #expect(problems == [])
            try await fixture.cache.close()
            model = walk.model
        }
    }

    /// One path from the start, with both lists and both entities observed.
    private struct Subject {
        private let style: Style
        private let store: MemoryJournal.Store
        private var journal: MemoryJournal
        private let clock = ManualClock()
        private var walk: OptimisticWalk
        private var editCount = 0

        init(_ style: Style, _ start: Start) async throws {
            self.style = style
            store = await start.store.copy()
            journal = MemoryJournal(store: store)
            let fixture = try await QueryFixture.open(journal, clock: clock, hasUpstream: false)
            var model = start.model
            model.restart()
            walk = OptimisticWalk(
                fixture, model, names: [OptimisticExhaustiveTests.name, OptimisticExhaustiveTests.rule])
            try await observe()
        }

        private mutating func observe() async throws {
            for name in walk.names {
                let problems = try await walk.toggle(name)
                #expect(problems == [])
            }
            for id in ["x", "y"] { try await walk.watch(Self.key(id)) }
        }

        private static func key(_ id: String) -> ReferenceKey {
            ReferenceKey(library: Array("a".utf8), type: Array("file".utf8), id: Array(id.utf8))
        }

        private func isPending(_ entity: Int) -> Bool {
            walk.model.layers.contains { $0.pendingID == Array("m\(entity)".utf8) }
        }

        func isRefused(_ move: Move) -> Bool {
            switch move {
            case .update(let entity): isPending(entity)
            case .commit(let entity), .rollBack(let entity): !isPending(entity)
            case .event, .echo, .crash: false
            }
        }

        func isWorthwhile(_ move: Move, after path: [Move]) -> Bool {
            if isRefused(move) { return false }
            switch move {
            // Without its layer an echo is an ordinary event.
            case .echo(let entity): return isPending(entity)
            case .crash: return path.last != .crash && !path.isEmpty
            // The entities are alike, so the first operation on a path concerns the first one.
            case .event(1), .update(1): return path.contains { $0 != .crash }
            case .event, .update, .commit, .rollBack: return true
            }
        }

        mutating func compare() async throws -> [String] { try await walk.compareAll() }

        /// Performs a move and compares.
        ///
        /// - Parameter isKnown: Whether the path up to here was compared before.
        mutating func perform(_ move: Move, isKnown: Bool = false) async throws -> [String] {
            guard move == .crash else {
                if !isRefused(move) { editCount += 1 }
                if !isKnown { return try await walk.perform(operation(move)) }
                try await walk.repeatStep(operation(move))
                return []
            }
            try await journal.close()
            journal = MemoryJournal(store: store)
            let problems = try await walk.goOn(
                with: try await QueryFixture.open(journal, clock: clock, hasUpstream: false))
            try await observe()
            return problems
        }

        private func operation(_ move: Move) -> CacheOperation {
            let next = (walk.model.libraries[Array("a".utf8)]?.cursor ?? 0) + 1
            // The values differ each time, are the same for both sides, and sometimes cross the end of the list.
            let n = [5, 0, 2, 7][editCount % 4]
            switch move {
            case .event(let entity):
                return .event(change("xy", entity, n, sequence: next))
            case .update(let entity):
                return .update(CacheLayer("m\(entity)", library: "a", steps(entity, n)))
            case .commit(let entity):
                var commit = CacheCommit("m\(entity)")
                switch style {
                case .confirmedPatches:
                    commit.confirmed = [resource("xy", entity, n)]
                    commit.sequence = next + 1
                case .awaitedPatches: commit.sequence = next + 1
                case .deletes: break
                case .renamedPuts:
                    commit.realIDs = [id("tu", entity): id("pq", entity)]
                    commit.confirmed = [resource("pq", entity, n)]
                    commit.sequence = next
                }
                return .commit(commit)
            case .rollBack(let entity): return .rollBack(pendingID: "m\(entity)", library: nil)
            case .echo(let entity):
                switch style {
                case .confirmedPatches, .awaitedPatches:
                    return .echo(change("xy", entity, n, sequence: next), mutationID: "m\(entity)")
                case .deletes:
                    return .echo(
                        .delete(library: "a", type: "file", id: id("xy", entity), sequence: next),
                        mutationID: "m\(entity)")
                case .renamedPuts:
                    return .echo(change("pq", entity, n, sequence: next), mutationID: "m\(entity)")
                }
            case .crash: preconditionFailure("a crash is no operation")
            }
        }

        private func steps(_ entity: Int, _ n: Int) -> [CacheStep] {
            switch style {
            case .confirmedPatches, .awaitedPatches:
                [.patch(type: "file", id: id("xy", entity), fields: #"{"n":\#(n)}"#, unset: [])]
            case .deletes: [.delete(type: "file", id: id("xy", entity))]
            case .renamedPuts: [.put(type: "file", resource: resource("tu", entity, n))]
            }
        }

        private func change(_ names: String, _ entity: Int, _ n: Int, sequence: Int64) -> CacheEvent {
            .change(
                library: "a", type: "file", resources: [resource(names, entity, n)], sequence: sequence, merges: false,
                isIndex: false)
        }

        private func resource(_ names: String, _ entity: Int, _ n: Int) -> String {
            #"{"id":"\#(id(names, entity))","n":\#(n)}"#
        }

        private func id(_ names: String, _ entity: Int) -> String { String(Array(names)[entity]) }
    }
}
