import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// Layers as readers show them, against a plain fold over dictionaries.
@Suite(.pooled) struct LayerReaderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The fields of an entity, each a number, so that a fold needs no parser.
    private typealias Fields = [String: Int]

    private func json(_ fields: Fields) -> [UInt8] {
        Array("{\(fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}".utf8)
    }

    private func fields(_ bytes: [UInt8]) throws -> Fields {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? Fields)
    }

    private struct Model {
        var base: [EntityKey: Fields] = [:]
        var deleted: Set<EntityKey> = []
        var visible: [EntityKey: Fields] = [:]
        var covered: Set<EntityKey> = []
        var layerDeleted: Set<EntityKey> = []
        var states: [ByteString: PendingLayer.State] = [:]
    }

    private func id(_ number: Int) -> ByteString {
        number % 3 == 0 ? ByteString("\(number)") : ByteString(UUIDValue(high: UInt64(number) << 58, low: 7).text)
    }

    private func written(seed: UInt64) async throws -> Model {
        var random = SeededGenerator(seed: seed)
        var model = Model()
        let libraries: [ByteString] = ["", "b"]
        let types: [ByteString] = ["a", "a-b"]
        var cache = SmallCache()
        func randomKey() -> EntityKey {
            EntityKey(library: libraries[random.below(2)], type: types[random.below(2)], id: id(random.below(24)))
        }
        func randomFields() -> Fields {
            Fields(
                ["x", "y", "z", "id"].filter { _ in random.below(2) == 0 }.map { ($0, random.below(9)) },
                uniquingKeysWith: { $1 })
        }
        let journal = try await SQLiteJournal.open(path: folder.file(), layout: .of(seed: seed))
        for library in libraries {
            for type in types { _ = cache.stored(EntityKey(library: library, type: type, id: "1")) }
        }
        for _ in 0..<random.below(60) {
            let key = randomKey()
            let fields = randomFields()
            cache.put(key, String(decoding: json(fields), as: UTF8.self))
            model.base[key] = fields
        }
        try await journal.commit(cache.take())
        for key in model.base.keys.sorted() where random.below(4) == 0 {
            cache.delete(key, sequence: 9)
            model.base[key] = nil
            model.deleted.insert(key)
        }
        var flush = cache.take()
        model.visible = model.base
        for number in 1...Int64(1 + random.below(15)) {
            let library = libraries[random.below(2)]
            var isOrphaned = false
            var changes: [LayerChange] = []
            for _ in 0...random.below(5) {
                let drawn = randomKey()
                let key = EntityKey(library: library, type: drawn.type, id: drawn.id)
                let stored = cache.stored(key)
                model.covered.insert(key)
                switch random.below(4) {
                case 0:
                    let fields = randomFields()
                    changes.append(.put(stored, resource: json(fields)))
                    model.visible[key] = fields
                case 1:
                    let fields = randomFields()
                    let unset = ["x", "y"].filter { _ in random.below(3) == 0 }
                    changes.append(.patch(stored, fields: json(fields), unset: unset.map { ByteString($0) }))
                    isOrphaned = isOrphaned || model.visible[key] == nil && model.deleted.contains(key)
                    model.visible[key]?.merge(fields) { $1 }
                    for name in unset { model.visible[key]?[name] = nil }
                case 2:
                    changes.append(.removeField(stored, "z"))
                    isOrphaned = isOrphaned || model.visible[key] == nil && model.deleted.contains(key)
                    model.visible[key]?["z"] = nil
                default:
                    changes.append(.delete(stored))
                    model.visible[key] = nil
                    model.layerDeleted.insert(key)
                }
            }
            let isConfirmed = random.below(3) == 0
            model.states[ByteString("p\(number)")] = isOrphaned ? .orphaned : isConfirmed ? .confirmed : .pending
            flush.layers.append(
                LayerRecord(
                    number: number, pendingID: ByteString("p\(number)"), library: library.bytes.isEmpty ? 0 : 1,
                    isConfirmed: isConfirmed, createdAt: number, changes: changes))
        }
        try await journal.commit(flush)
        try await journal.close()
        return model
    }

    @Test(arguments: UInt64(1)...25) func `readers show the visible state, in key order, from any key on`(
        seed: UInt64
    ) async throws {
        let model = try await written(seed: seed)
        let reader = try SQLiteReader(path: folder.file())
        let keys = model.visible.keys.sorted()
        var shown: [EntitySnapshot] = []
        try reader.walk(showsLayers: true) { step in
            if case .entity(let entity) = step { shown.append(entity) }
            return true
        }
        #expect(shown.map(\.key) == keys, "seed \(seed)")
        for entity in shown {
            #expect(try fields(entity.payload) == model.visible[entity.key], "seed \(seed): \(entity.key)")
            #expect(entity.isPending == model.covered.contains(entity.key))
            #expect((entity.sequence == nil) == (model.base[entity.key] == nil))
        }
        let every = ["", "b"].flatMap { library in
            ["a", "a-b"].flatMap { type in
                (0..<24).map { EntityKey(library: ByteString(library), type: ByteString(type), id: id($0)) }
            }
        }
        for key in every {
            let answer = try reader.visibleEntity(key)
            #expect(answer.isPending == model.covered.contains(key))
            #expect(answer.damagedLayers == [])
            switch answer.answer {
            case .found(let entity): #expect(shown.contains(entity))
            case .deleted:
                #expect(model.visible[key] == nil && (model.deleted.contains(key) || model.layerDeleted.contains(key)))
            case .absent:
                #expect(model.visible[key] == nil && !model.deleted.contains(key))
                #expect(!model.layerDeleted.contains(key))
            case .evicted, .damaged: Issue.record("seed \(seed): \(key) is damaged")
            }
            var behind: [EntityKey] = []
            try reader.walk(after: key, limit: 3, showsLayers: true) { step in
                if case .entity(let entity) = step { behind.append(entity.key) }
                return true
            }
            #expect(behind == Array(keys.filter { key < $0 }.prefix(3)), "seed \(seed): behind \(key)")
        }
        var base: [EntityKey] = []
        try reader.walk { step in
            if case .entity(let entity) = step { base.append(entity.key) }
            return true
        }
        #expect(base == model.base.keys.sorted())
        let layers = try reader.layers().compactMap { if case .layer(let layer) = $0 { layer.layer } else { nil } }
        #expect(layers.map(\.pendingID) == (1...layers.count).map { ByteString("p\($0)") })
        #expect(Dictionary(uniqueKeysWithValues: layers.map { ($0.pendingID, $0.state) }) == model.states)
        #expect(try reader.layerCount() == Int64(model.states.count))
    }
}
