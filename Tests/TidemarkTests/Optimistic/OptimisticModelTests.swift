import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// Layers in the engine, with its journal and its observers, against a model that folds them anew after every step.
/// Laws: L2, L5, L6, L9, L10.
@Suite(.pooled, .tags(.model)) struct OptimisticModelTests {
    @Test(arguments: TestScale.seeds(40))
    func `with a journal in memory reads and notifications are those of base and layers`(
        seed: UInt64
    ) async throws {
        let store = MemoryJournal.Store()
        try await walk(seed: seed) { MemoryJournal(store: store) }
    }

    @Test(arguments: TestScale.seeds(4))
    func `with a journal on disk reads and notifications are those of base and layers`(
        seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder()
        try await walk(seed: seed &+ 500) { try await SQLiteJournal.open(path: folder.path("cache.db")) }
    }

    private func walk(seed: UInt64, _ open: () async throws -> any Journal) async throws {
        var random = SeededGenerator(seed: seed ^ 0x0971)
        let queryCountMax = random.chance(100) ? 2 : 100_000
        let layerCountMax = random.chance(200) ? 3 : 10_000
        let memoryByteCountMax = random.chance(800) ? 0 : 256 << 20
        let (flushes, restarts, watches) = (
            random.pick([20, 250, 500]), random.pick([0, 20, 60]), random.pick([50, 300])
        )
        let clock = ManualClock()
        var journal = try await open()
        func reopened() async throws -> QueryFixture {
            try await QueryFixture.open(journal, clock: clock) {
                $0.limits.queryCountMax = queryCountMax
                $0.limits.layerCountMax = layerCountMax
                $0.memoryByteCountMax = memoryByteCountMax
                $0.fetchTimeout = .milliseconds(1 << 40)
            }
        }
        var generator = LayerOperationGenerator(seed: seed)
        var walk = OptimisticWalk(
            try await reopened(),
            ReferenceCache(now: clock.now(), queryCountMax: queryCountMax, layerCountMax: layerCountMax),
            names: generator.names)
        var run = RandomWalk(seed: seed)
        while run.next(of: 100) {
            var operation = generator.next(walk.model)
            // A local query has no upstream to ask.
            if case .beginFetch(let name) = operation, walk.model.queries[name]?.isLocal == true {
                operation = .wait(milliseconds: 1)
            }
            run.note("\(operation)")
            walk.setRoom(random.pick([0, 0, 0, 1, nil]))
            if random.chance(300) { await walk.resume() }
            var problems = try await walk.perform(operation)
            problems += try await random.chance(100) ? walk.compareAll() : walk.compare()
            if random.chance(150) { problems += await walk.wake(isForced: random.chance(500)) }
            if random.chance(watches) {
                run.note("toggled an observer")
                problems += try await walk.toggle(random.pick(generator.names))
            }
            if random.chance(watches / 3) {
                let id = random.pick(["k0", "k1", "k2", "t0", "t1", "r1"])
                run.note("watches \(id)")
                try await walk.watch(
                    ReferenceKey(library: Array("a".utf8), type: Array("file".utf8), id: Array(id.utf8)))
            }
            if random.chance(flushes) {
                run.note("flushed")
                try await walk.flush()
            }
            if random.chance(restarts) {
                if random.chance(500), queryCountMax > 2 {
                    run.note("crashed")
                    // The base under layers is not visible, so only one state may be on the disk then.
                    if !walk.model.layers.isEmpty { try await walk.flush() }
                    try await journal.close()
                } else {
                    run.note("closed")
                    try await walk.flush()
                    try await walk.fixture.cache.close()
                }
                journal = try await open()
                problems += try await walk.goOn(with: try await reopened())
            }
            try run.check(problems)
        }
        try await walk.fixture.cache.close()
    }
}
