import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// Random graphs under events, transactions, answers, removals, layers and restarts, against a model without tiers.
@Suite(.pooled, .tags(.model)) struct CascadeModelTests {
    @Test(arguments: TestScale.seeds(60))
    func `a journal in memory and random deletes show the entities of the naive model`(seed: UInt64) async throws {
        let store = MemoryJournal.Store()
        try await walk(seed: seed) { MemoryJournal(store: store) }
    }

    @Test(arguments: TestScale.seeds(3))
    func `a journal on disk and random deletes show the entities of the naive model`(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        try await walk(seed: seed &+ 900) { try await SQLiteJournal.open(path: folder.path("cache.db")) }
    }

    private func walk(seed: UInt64, _ open: () async throws -> any Journal) async throws {
        var random = SeededGenerator(seed: seed ^ 0xCA5C)
        let memoryByteCountMax = random.chance(700) ? 0 : 256 << 20
        let weights = [random.pick([10, 30]), 12, random.pick([2, 10]), 6, random.pick([0, 12]), 8, 12, 4]
        var fixture = try await CascadeFixture.open(try await open()) { $0.memoryByteCountMax = memoryByteCountMax }
        var model = NaiveCascades()
        var run = RandomWalk(seed: seed)
        while run.next(of: 120) {
            let name = NaiveCascades.names[random.below(NaiveCascades.names.count)]
            switch random.weighted(weights) {
            case 0:
                var lines: [String] = []
                for _ in 0...random.below(4) {
                    model.sequence += 1
                    if random.chance(250) {
                        let name = random.pick(NaiveCascades.names)
                        lines.append(CascadeFixture.delete(model.sequence, name))
                        model.deleteByEvent(name)
                    } else {
                        let (name, node) = NaiveCascades.node(&random)
                        lines.append(CascadeFixture.change(model.sequence, NaiveCascades.type(name), node.json))
                        model.change(name, node)
                    }
                }
                for line in lines { run.note(line) }
                try await fixture.fixture.fixture.input.feed(lines)
            case 1:
                model.sequence += 1
                run.note("event \(model.sequence) deletes \(name)")
                try await fixture.delete(model.sequence, name)
                model.deleteByEvent(name)
            case 2:
                let (name, node) = NaiveCascades.node(&random, type: "file")
                let asOf = model.sequence + random.below(6)
                run.note("answer as of \(asOf): \(node.json)")
                try await fixture.fixture.put([node.json]) { $0.asOf = EventSequence(Int64(asOf)) }
                model.answer(name, node, asOf: asOf)
            case 3:
                var operations: [TransactionOperation] = []
                var edit = model.base
                var deleted: Set<String> = []
                for _ in 0...random.below(3) {
                    if random.chance(500) {
                        let name = random.pick(NaiveCascades.names)
                        operations.append(NaiveCascades.delete(name))
                        deleted.insert(name)
                        NaiveCascades.delete(name, from: &edit) { _ in false }
                    } else {
                        let (name, node) = NaiveCascades.node(&random)
                        operations.append(.put(type: ByteString(NaiveCascades.type(name)), resource: node.bytes))
                        edit[name] = node
                    }
                }
                run.note("transaction \(operations)")
                try await fixture.cache.transact(operations, library: "a")
                model.transact(edit, deleted: deleted)
            case 4:
                var removal = Removal(library: "a")
                removal.matching = ByteString(name)
                removal.cascades = random.chance(700)
                run.note("removes \(name), cascades: \(removal.cascades)")
                let expected = model.remove(name, cascades: removal.cascades)
                #expect(try await fixture.cache.remove(removal) == expected, "\(run)")
            case 5:
                var changes: [NaiveCascades.Change] = []
                for _ in 0...random.below(3) {
                    if random.chance(600) {
                        changes.append(.delete(random.pick(NaiveCascades.names)))
                    } else {
                        let (name, node) = NaiveCascades.node(&random)
                        changes.append(.put(name, node))
                    }
                }
                let id = "m\(run.step)"
                run.note("layer \(id): \(changes)")
                let operations = changes.map(\.operation)
                try await fixture.cache.update(
                    OptimisticUpdate(pendingID: ByteString(id), library: "a", operations: operations, dependsOn: []))
                model.lay(id, changes)
            case 6:
                guard !model.layers.isEmpty else { continue }
                let id = model.layers[random.below(model.layers.count)].id
                if random.chance(500) {
                    run.note("rolls \(id) back")
                    try await fixture.cache.rollBack(ByteString(id))
                } else {
                    model.sequence += 1
                    run.note("event \(model.sequence) deletes \(name) for \(id)")
                    try await fixture.delete(model.sequence, name, mutation: id)
                    model.deleteByEvent(name)
                }
                model.layers.removeAll { $0.id == id }
            default:
                run.note("written, and opened anew")
                try await fixture.cache.endOfInput()
                try await fixture.cache.close()
                fixture = try await CascadeFixture.open(try await open()) { $0.memoryByteCountMax = memoryByteCountMax }
            }
            if random.chance(400) { try await fixture.flush() }
            let seen = try await seen(fixture)
            let along = await fixture.cache.pendingLayers().map { layer in Set(layer.along.map(\.text.description)) }
            let wanted = (seen: model.seen, along: model.layers.map(\.along))
            try run.check(
                seen == wanted.seen && along == wanted.along
                    ? [] : ["\(seen) \(along), not \(wanted.seen) \(wanted.along)"])
        }
        try await fixture.cache.close()
    }

    private func seen(_ fixture: CascadeFixture) async throws -> [String] {
        var seen: [String] = []
        for name in NaiveCascades.names
        where try await fixture.cache.read(try CascadeFixture.key(name), fields: nil).entity != nil {
            seen.append(name)
        }
        return seen
    }
}
