import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// A cache whose layers have all settled equals one that never had any.
@Suite(.pooled, .tags(.model)) struct OptimisticCounterpartTests {
    private static let side = ReferenceQueryName(
        library: Array("a".utf8), method: Array("side".utf8), input: Array("{}".utf8))

    /// A confirmation is stored in the counterpart as an answer with the same place and an empty list.
    @Test(arguments: TestScale.seeds(20))
    func `when all layers have settled they leave no trace`(seed: UInt64) async throws {
        let (left, right) = (try await CounterpartFixture(), try await CounterpartFixture())
        var random = SeededGenerator(seed: seed ^ 0x7717)
        var generator = LayerOperationGenerator(seed: seed &+ 900, hasTemporaryBase: false)
        var model = ReferenceCache(now: left.fixture.clock.now())
        let stepCount = 120
        var run = RandomWalk(seed: seed)
        while run.next(of: stepCount) {
            var operation = generator.next(model)
            var other: CacheOperation? = operation
            switch operation {
            case .beginFetch, .answer:
                (operation, other) = (.wait(milliseconds: 1), .wait(milliseconds: 1))
            case .update, .rollBack: other = nil
            case .commit(var commit):
                other = nil
                let layer = model.layers.first { $0.pendingID == Array(commit.pendingID.utf8) }
                guard let layer, let confirmed = commit.confirmed else { break }
                // An empty list confirms deletes, and an answer of the counterpart has none: the model has them.
                let deletes = layer.changes.contains { if case .delete = $0 { true } else { false } }
                if confirmed.isEmpty, deletes {
                    commit.confirmed = nil
                    operation = .commit(commit)
                    break
                }
                let type = String(decoding: layer.changes[0].key.type, as: UTF8.self)
                commit.type = commit.type ?? type
                commit.sequence = commit.sequence ?? model.libraries[layer.library]?.cursor ?? 1
                operation = .commit(commit)
                if let library = commit.library, Array(library.utf8) != layer.library { break }
                var answer = CacheAnswer(type: type, resources: [])
                answer.included = [(commit.type ?? type, confirmed)]
                answer.asOf = commit.sequence
                let name = ReferenceQueryName(
                    library: layer.library, method: Self.side.method, input: Self.side.input)
                other = confirmed.isEmpty ? nil : .put(name, answer)
            default: break
            }
            run.note("\(operation)")
            _ = try model.perform(operation)
            try await left.perform(operation)
            if let other { try await right.perform(other) }
            if random.chance(150) { try await left.fixture.cache.flush() }
            if random.chance(150) { try await right.fixture.cache.flush() }
            if run.step == stepCount {
                while let layer = model.layers.last {
                    let rollback = CacheOperation.rollBack(
                        pendingID: String(decoding: layer.pendingID, as: UTF8.self), library: nil)
                    _ = try model.perform(rollback)
                    try await left.perform(rollback)
                }
            }
            guard model.layers.isEmpty, run.step == stepCount || random.chance(200) else { continue }
            let keys = Set(model.entities.keys).union(model.tombstones.keys).sorted()
            let (found, wanted) = (
                try await left.digest(keys, generator.names), try await right.digest(keys, generator.names)
            )
            #expect(found.count == wanted.count, "\(run)")
            try run.check(zip(found, wanted).filter { $0 != $1 }.map { "\($0)\n  not \($1)" })
        }
    }

    private struct CounterpartFixture {
        let fixture: QueryFixture
        private let journal = MemoryJournal()

        init() async throws {
            fixture = try await QueryFixture.open(journal, hasUpstream: false) { $0.memoryByteCountMax = 0 }
        }

        func perform(_ operation: CacheOperation) async throws {
            var replies: [ReferenceQueryName: Reply] = [:]
            _ = try await fixture.perform(operation, &replies)
        }

        /// Everything that is stored, by name: entities with the writer of each field, and lists in the form of the
        /// journal.
        func digest(_ keys: [ReferenceKey], _ names: [ReferenceQueryName]) async throws -> [String] {
            var lines: [String] = []
            for key in keys {
                let own = OptimisticWalk.key(key)
                var read = try await fixture.cache.read(own, fields: nil)
                // An answer ends a library's state `stale`, a confirmation does not.
                read.isStale = false
                var origin = try await fixture.cache.explain(own)
                for index in origin.fields.indices where origin.fields[index].writer == .confirmation {
                    origin.fields[index].writer = .answer
                }
                lines.append(
                    "\(own) \(read.entity.map { String(decoding: $0, as: UTF8.self) } ?? "-") \(read) \(origin)")
            }
            try await fixture.cache.flush()
            let records = await journal.queries()
            for name in names {
                for var record in records where record.method.bytes == name.method && record.input.bytes == name.input {
                    // Numbers follow the order in which names first occur, and a layer may be the first to use one.
                    (record.number, record.library, record.type) = (0, 0, 0)
                    lines.append("\(record)")
                }
            }
            return lines
        }
    }
}
