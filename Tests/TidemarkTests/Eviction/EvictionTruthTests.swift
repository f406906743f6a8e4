import TidemarkJSON
import TestTraits
import Testing
import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// A read returns the server's last state, or a miss, under random evictions in both tiers. Laws: L1, L2, L9.
@Suite(.pooled) struct EvictionTruthTests {
    /// The fields of an object by name: numbers, and objects of numbers.
    private typealias Fields = [String: JSONValue]

    /// Merges an object into another one.
    private static func merged(_ new: Fields, into old: Fields) -> Fields {
        old.merging(new) { old, new in
            guard case .object(let left) = old, case .object(let right) = new else { return new }
            let names = left.map(\.name)
            return .object(
                left.map { member in JSONMember(member.name, new[member.name] ?? member.value) }
                    + right.filter { !names.contains($0.name) })
        }
    }

    private static func fields(_ bytes: [UInt8]) throws -> Fields {
        guard case .object(let members) = try JSONValue(parsing: bytes) else { return [:] }
        return Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }

    private static func equal(_ left: Fields, _ right: Fields) -> Bool {
        left.mapValues(\.canonical) == right.mapValues(\.canonical)
    }

    private struct Name: Hashable {
        var type: String
        var id: Int
        var key: EntityKey { EntityKey(library: "a", type: ByteString(type), id: ByteString("k\(id)")) }
    }

    @Test(arguments: TestScale.seeds(16))
    func `reads, lists and observers show the truth or nothing, for every kind of type`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed ^ 0x7A11)
        let memoryMax = random.pick([0, 1_500, 1 << 30])
        let entityMax = Int64(random.pick([0, 6, 20]))
        let store = MemoryJournal.Store()
        let clock = ManualClock()
        func reopened() async throws -> QueryFixture {
            try await QueryFixture.open(MemoryJournal(store: store), clock: clock, hasUpstream: false) {
                $0.memoryByteCountMax = memoryMax
                $0.eviction.entityCountMax = entityMax
                $0.eviction.keptFields = ["card": ["n", "o"], "file": ["n"]]
                $0.diskExcludedTypes = ["mem"]
                $0.memoryExcludedTypes = ["disk"]
            }
        }
        var fixture = OptimisticFixture(fixture: try await reopened())
        var truth: [Name: Fields] = [:]
        var lists: [Int: [Int]] = [:]
        var layers: [(pending: String, name: Name, fields: Fields)] = []
        var pendingCount = 0
        func object(_ id: Int, _ fields: Fields) -> String {
            let members = fields.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value) }
            return JSONValue.object([JSONMember("id", .string("k\(id)"))] + members).text
        }
        func drawn() -> Fields {
            var fields: Fields = [:]
            for name in ["n", "m", "o", "p"] where random.chance(600) {
                let number = JSONValue.number(JSONNumber(random.below(1_000)))
                let isObject = (name == "o" || name == "p") && random.chance(700)
                fields[name] = isObject ? .object([JSONMember(random.pick(["x", "y"]), number)]) : number
            }
            return fields
        }
        /// Returns the visible state; nil when the server has deleted the entity, or never had it.
        func visible(_ name: Name) -> Fields? {
            truth[name].map { base in
                layers.filter { $0.name == name }.reduce(base) { $0.merging($1.fields) { $1 } }
            }
        }
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 200) {
            clock.advance(milliseconds: 1)
            let name = Name(type: random.pick(["file", "card", "mem", "disk"]), id: random.below(8))
            let place = "\(walk), \(name)"
            let fields = drawn()
            switch random.below(13) {
            case 0, 1, 2:
                truth[name] = fields
                try await fixture.feed(EventLine.change(object(name.id, fields), type: name.type, library: "a"))
            case 3, 4, 5:
                guard let known = truth[name] else { continue }
                truth[name] = Self.merged(fields, into: known)
                try await fixture.feed(
                    EventLine.change(object(name.id, fields), type: name.type, metadata: "{}", library: "a"))
            case 6:
                guard random.chance(400) else { continue }
                truth[name] = nil
                for list in lists.keys where name.type == "file" { lists[list]?.removeAll { $0 == name.id } }
                try await fixture.feed(
                    EventLine.delete("k\(name.id)", type: name.type, library: "a")
                )
            case 7:
                let ids = truth.keys.filter { $0.type == "file" }.map(\.id).sorted().prefix(4)
                let list = random.below(3)
                try await fixture.fixture.put(
                    ids.map { object($0, truth[Name(type: "file", id: $0)] ?? [:]) }, #"{"q":\#(list)}"#)
                lists[list] = Array(ids)
            case 8: try await fixture.fixture.cache.enforceLimits()
            case 9: try await fixture.fixture.cache.flush()
            case 10:
                pendingCount += 1
                // The layer uses a name into which events do not merge objects, because its value replaces the whole
                // field.
                let number = JSONValue.number(JSONNumber(random.below(100)))
                layers.append(("p\(pendingCount)", name, ["m": number]))
                try await fixture.lay(
                    "p\(pendingCount)",
                    .patch(type: name.type, id: "k\(name.id)", fields: "{\"m\":\(number.text)}", unset: []))
            case 11 where !layers.isEmpty:
                try await fixture.rollBack(layers.remove(at: random.below(layers.count)).pending)
            case 12 where random.chance(150):
                try await fixture.fixture.cache.close()
                fixture = OptimisticFixture(fixture: try await reopened())
            default: continue
            }
            for type in ["file", "card", "mem", "disk"] {
                for id in 0..<8 where random.chance(400) {
                    let name = Name(type: type, id: id)
                    let wanted: [ByteString]? = random.pick([nil, ["n"], ["n", "o"], ["id", "p"]])
                    let read = try await fixture.fixture.cache.read(name.key, fields: wanted)
                    guard let entity = read.entity else { continue }
                    var expected = visible(name)
                    expected?["id"] = .string("k\(id)")
                    if let wanted { expected = expected?.filter { wanted.contains(ByteString($0.key)) } }
                    let found = try Self.fields(entity)
                    #expect(
                        expected.map { Self.equal($0, found) } == true,
                        "\(place): \(name) \(wanted ?? []) is \(String(decoding: entity, as: UTF8.self)), not \(String(describing: expected))"
                    )
                }
            }
            for (list, ids) in lists {
                let isNarrow = random.chance(500)
                let reply = try await fixture.fixture.read(#"{"q":\#(list)}"#) { request in
                    request.allowsStale = true
                    if isNarrow { request.select = ["file": ["id", "n"]] }
                }
                guard case .success(let found) = reply else { continue }
                let expected = ids.compactMap { id in
                    visible(Name(type: "file", id: id)).map { fields in
                        fields.merging(["id": .string("k\(id)")]) { $1 }.filter {
                            !isNarrow || ["id", "n"].contains($0.key)
                        }
                    }
                }
                let entities = try found.answer.entities.map { try Self.fields($0) }
                #expect(
                    entities.count == expected.count && zip(entities, expected).allSatisfy { Self.equal($0, $1) },
                    "\(place): list \(list) is \(found.texts)")
            }
            await fixture.fixture.cache.checkInvariants()
        }
        for layer in layers { try await fixture.rollBack(layer.pending) }
        try await fixture.fixture.cache.enforceLimits()
        try await fixture.fixture.cache.close()
    }
}
