import TestTraits
import Testing
import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore
import TidemarkTestKit

@testable import TidemarkHTTP

/// The effects of one response, as a value.
@Suite(.pooled) struct StoringStateTests {
    /// Performs in a world what a state decides, as the client does.
    ///
    /// - Returns: The response at the end, everything that was done, and the phases that were passed.
    private func run(_ given: StoringWorld) -> (
        completed: CompletedExchange, calls: [StoringWorld.Call], phases: [String]
    ) {
        var world = given
        var state = StoringState(
            world.completed, world.question, world.lookup, begun: world.begun, changes: world.changes,
            settings: world.settings)
        var phases: [String] = []
        var event = StoringState.Event.begin
        while true {
            let step = state.handle(event, world.facts)
            phases.append(state.phase.name)
            for effect in step.effects {
                switch effect {
                case .accept(let names): world.note(.accept(names))
                case .noteConfirmation(let found): world.note(.noteConfirmation(found.record.number))
                case .changed: world.note(.changed)
                }
            }
            do throws(CacheError) {
                switch step.action {
                case .look(let fetch): event = .looked(try world.look(fetch.request.method))
                case .read(let found): event = .read(try world.read(found))
                case .write(let transaction): event = .written(try world.write(transaction))
                case .end(let completed): return (completed, world.calls, phases)
                }
            } catch {
                event = .failed(error)
            }
        }
    }

    /// The parts of a result that callers see.
    private struct Shown: Hashable {
        var isStored: Bool
        var isOutdated: Bool
        var normalized: HTTPFetched.Normalized?
        var confirmed: Int64?
        var isLast = false

        init(_ completed: CompletedExchange) {
            isStored = completed.isStored
            isOutdated = completed.isOutdated
            normalized = completed.normalized
            if case .confirmed(let found, let isLast) = completed.outcome {
                confirmed = found.record.number
                self.isLast = isLast
            }
        }
    }

    // MARK: Table

    /// A response, and what it does when everything succeeds: the phases after each event.
    private struct Row: CustomTestStringConvertible {
        var testDescription: String
        var phases: [String]
        var isStored = true
        var world: @Sendable () throws -> StoringWorld
    }

    private static let tag = [("ETag", #""a""#)]
    private static let file = Array(#"{"id":"1"}"#.utf8)

    private static let table = [
        Row(testDescription: "a new response", phases: ["looking", "writing", "ended"]) {
            try StoringWorld(fields: tag, content: .bytes(file))
        },
        Row(testDescription: "a response that is not to be stored", phases: ["writing", "ended"], isStored: false) {
            try StoringWorld(fields: tag, content: .bytes(file), rules: .options([], timeout: nil))
        },
        Row(testDescription: "a confirmation", phases: ["writing", "ended"]) {
            var world = try StoringWorld(status: 304, fields: tag, content: .bytes([]), isConditional: true)
            world.store(fields: tag, body: file)
            return world
        },
        Row(testDescription: "a confirmation of entities", phases: ["readingForRenewal", "writing", "ended"]) {
            var world = try StoringWorld(status: 304, fields: tag, content: .bytes([]), isConditional: true)
            world.store(fields: tag, body: file, spec: StoringWorld.list)
            return world
        },
        Row(testDescription: "a confirmation, for other entities", phases: ["readingForEntities", "writing", "ended"]) {
            var world = try StoringWorld(
                status: 304, fields: tag, content: .bytes([]), spec: StoringWorld.list, isConditional: true)
            world.store(fields: tag, body: file)
            return world
        },
        Row(testDescription: "an equal body", phases: ["looking", "comparing", "writing", "ended"]) {
            var world = try StoringWorld(fields: tag, content: .bytes(file), spec: StoringWorld.list)
            world.store(fields: tag, body: file, spec: StoringWorld.list)
            return world
        },
        Row(
            testDescription: "an entity that is gone", phases: ["looking", "readingGone", "writing", "ended"],
            isStored: false
        ) {
            var world = try StoringWorld(status: 404, content: .bytes([]))
            world.store(fields: tag, body: file, spec: StoringWorld.list)
            return world
        },
        Row(testDescription: "a part", phases: ["looking", "combining", "writingCombination", "writing", "ended"]) {
            var world = try StoringWorld(
                status: 206, fields: tag + [("Content-Range", "bytes 4-7/8")], content: .bytes([5, 6, 7, 8]))
            world.store(status: 206, fields: tag + [("Content-Range", "bytes 0-3/8")], body: [1, 2, 3, 4])
            return world
        },
        Row(
            testDescription: "a response to HEAD", phases: ["looking", "lookingForGet", "writing", "ended"],
            isStored: false
        ) {
            var world = try StoringWorld("HEAD", fields: tag, content: .passed(0))
            world.store(fields: tag, body: file)
            return world
        },
    ]

    @Test(arguments: table) private func `each response takes its way`(row: Row) throws {
        let result = run(try row.world())
        #expect(result.phases == row.phases)
        #expect(result.completed.isStored == row.isStored)
        #expect(result.calls.contains(.changed) == row.isStored)
    }

    /// Each phase of each way, with each kind of event.
    @Test(arguments: table) private func `each phase takes its own events, and every wait may fail`(row: Row) throws {
        let world = try row.world()
        let lookup = world.later
        let error = CacheError(.storageFailed, "as the test says")
        let all: [StoringState.Event] = [.begin, .looked(lookup), .read(nil), .written(0), .failed(error)]
        let wanted = [
            "new": "begin", "looking": "looked", "lookingForGet": "looked", "combining": "read", "readingGone": "read",
            "comparing": "read", "readingForEntities": "read", "readingForRenewal": "read",
            "writingCombination": "written", "writing": "written", "removing": "written",
        ]
        for length in 0...row.phases.count {
            var state = StoringState(
                world.completed, world.question, world.lookup, begun: world.begun, changes: world.changes,
                settings: world.settings)
            for phase in ["new"] + row.phases.prefix(length).dropLast() {
                guard length > 0 else { break }
                let event: StoringState.Event =
                    switch wanted[phase] {
                    case "begin": .begin
                    case "looked": .looked(lookup)
                    case "read": .read(world.storedBody)
                    default: .written(0)
                    }
                _ = state.handle(event, world.facts)
            }
            let phase = state.phase.name
            #expect(phase == (["new"] + row.phases)[length])
            for event in all {
                let isWanted =
                    event.name == wanted[phase] || event.name == "failed" && phase != "new" && phase != "ended"
                #expect(state.awaits(event) == isWanted, "\(event.name) while \(phase)")
                guard isWanted else { continue }
                var next = state
                let step = next.handle(event, world.facts)
                // Every failure leads to the end, at most over one more transaction.
                guard event.name == "failed" else { continue }
                switch step.action {
                case .end: #expect(next.phase.name == "ended")
                case .write: #expect(["writing", "removing"].contains(next.phase.name))
                case .look, .read: Issue.record("a failure while \(phase) is followed by another read")
                }
            }
        }
    }

    @Test func `a response that was outdated on its way is returned, and nothing of it is stored`() throws {
        var world = try StoringWorld(fields: StoringStateTests.tag, content: .bytes(StoringStateTests.file))
        world.outdatedAfter = 0
        let result = run(world)
        #expect(result.calls == [.write(.changes([]))])
        #expect(!result.completed.isStored && result.completed.isOutdated)
    }

    @Test func `a response that the disk refuses is returned, and outdates the stored one`() throws {
        var world = try StoringWorld(fields: StoringStateTests.tag, content: .bytes(StoringStateTests.file))
        world.store(fields: StoringStateTests.tag, body: [1])
        world.failing = [2]
        let result = run(world)
        #expect(result.calls.last == .write(.changes([.remove([4])])))
        #expect(result.phases == ["looking", "writing", "removing", "ended"])
        #expect(!result.completed.isStored)
    }

    // MARK: Model

    @Test(arguments: TestScale.seeds(40)) func `random responses have the effects of the model`(seed: UInt64) throws {
        var phases: Set<String> = []
        for part in 0..<100 {
            let world = try StoringWorld(seed: seed * 1_000 + UInt64(part))
            let result = run(world)
            let expected = NaiveStoring.run(world)
            #expect(result.calls == expected.1, "seed \(seed), part \(part)")
            #expect(Shown(result.completed) == Shown(expected.0), "seed \(seed), part \(part)")
            phases.formUnion(result.phases)
        }
        // A hundred responses pass nearly all phases.
        #expect(phases.count >= 8, "\(phases)")
    }
}
