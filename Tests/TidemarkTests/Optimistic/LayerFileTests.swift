import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// Layers as a reader of the file sees them, against the engine that writes them. Laws: L2, L5.
@Suite(.pooled) struct LayerFileTests {
    private static let ids = (0..<8).map { ByteString("f\($0)") }

    private static func key(_ id: ByteString) -> EntityKey { EntityKey(library: "a", type: "file", id: id) }

    /// One run: events and mutations in random order, with reopenings; the states are compared after each flush.
    private struct Run {
        let path: String
        var random: SeededGenerator
        var cache: SyncCache
        var sequence: Int64 = 0
        var made = 0
        /// The ids that may be pending.
        var pending: [ByteString] = []

        init(path: String, seed: UInt64) async throws {
            self.path = path
            random = SeededGenerator(seed: seed)
            cache = try await SyncCache.open(path: path)
        }

        mutating func step() async throws {
            let id = LayerFileTests.ids[random.below(8)].description
            switch random.below(9) {
            case 0, 1, 2:
                sequence += 1
                try await cache.ingest(Lines.bytes([Lines.change(sequence, id: id)]))
            case 3:
                sequence += 1
                try await cache.ingest(Lines.bytes([Lines.delete(sequence, id: id)]))
            case 4, 5, 6:
                try await update()
            case 7:
                guard let name = drawn() else { return }
                var commit = OptimisticCommit(pendingID: name)
                if random.below(2) == 0 { commit.confirmed = [Array(#"{"id":"\#(id)","n":7}"#.utf8)] }
                commit.resourceType = "file"
                commit.sequence = EventSequence(max(0, sequence + Int64(random.below(5)) - 2))
                try await end { (cache) throws(CacheError) in try await cache.commit(commit) }
            default:
                guard let name = drawn() else { return }
                try await end { (cache) throws(CacheError) in try await cache.rollBack(name) }
            }
        }

        private mutating func drawn() -> ByteString? {
            pending.isEmpty ? nil : pending[random.below(pending.count)]
        }

        private mutating func update() async throws {
            made += 1
            pending = await cache.pendingLayers().map(\.pendingID)
            let name = ByteString("p\(made)")
            let operations = (0...random.below(3)).map { _ -> TransactionOperation in
                let id = LayerFileTests.ids[random.below(8)]
                return switch random.below(4) {
                case 0:
                    .put(type: "file", resource: Array(#"{"id":"\#(id)","m":\#(made)}"#.utf8))
                case 1:
                    .patch(type: "file", id: id, fields: Array(#"{"k":[\#(made)]}"#.utf8), unset: ["m"])
                case 2: .removeField(type: "file", id: id, field: "n")
                default: .delete(type: "file", id: id)
                }
            }
            let dependsOn = random.below(3) == 0 ? pending.suffix(1) : []
            try await cache.update(
                OptimisticUpdate(
                    pendingID: name, library: "a", operations: operations, dependsOn: Array(dependsOn)))
            pending.append(name)
        }

        /// A layer that has settled meanwhile is unknown, which is not a fault.
        private mutating func end(_ body: (SyncCache) async throws(CacheError) -> Void) async throws {
            do throws(CacheError) {
                try await body(cache)
            } catch {
                guard error.code == .unknownPending else { throw error }
            }
            pending = await cache.pendingLayers().map(\.pendingID)
        }

        mutating func reopen() async throws {
            let before = await cache.pendingLayers()
            try await cache.close()
            cache = try await SyncCache.open(path: path)
            #expect(await cache.pendingLayers() == before)
        }

        /// Compares the state that a reader finds beside the writer.
        func compare(_ walk: RandomWalk) async throws {
            try await cache.flush()
            let reader = try SQLiteReader(path: path)
            let layers = await cache.pendingLayers()
            let found = try reader.layers().map { step in
                if case .layer(let layer) = step { layer.layer } else { nil as PendingLayer? }
            }
            #expect(found == layers, "\(walk)")
            for id in LayerFileTests.ids {
                let wanted = try await cache.read(LayerFileTests.key(id), fields: nil)
                let answer = try reader.visibleEntity(LayerFileTests.key(id))
                var entity: EntitySnapshot?
                var miss: EntityRead.Miss?
                switch answer.answer {
                case .found(let found): entity = found
                case .deleted: miss = .deleted
                case .absent: miss = .absent
                case .evicted: miss = .evicted
                case .damaged: Issue.record("\(walk): \(id) is damaged")
                }
                #expect(entity?.payload == wanted.entity, "\(walk): \(id)")
                #expect(answer.sequence == wanted.sequence, "\(walk): \(id)")
                #expect(miss == wanted.miss, "\(walk): \(id)")
                #expect(answer.isPending == wanted.isPending, "\(walk): \(id)")
            }
            #expect(try reader.verify().problems == [], "\(walk)")
        }
    }

    @Test(arguments: TestScale.seeds(6)) func `a reader shows the same state as the engine, across restarts`(
        seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder()
        var run = try await Run(path: folder.path("a.db"), seed: seed)
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 60) {
            try await run.step()
            if walk.step % 5 == 0 { try await run.compare(walk) }
            if run.random.below(12) == 0 { try await run.reopen() }
        }
        for layer in await run.cache.pendingLayers() {
            do throws(CacheError) {
                try await run.cache.rollBack(layer.pendingID)
            } catch {
                // The layer was rolled back with one that it depends on.
                #expect(error.code == .unknownPending)
            }
        }
        try await run.compare(walk)
        #expect(try SQLiteReader(path: folder.path("a.db")).layerCount() == 0)
        try await run.cache.close()
    }
}
