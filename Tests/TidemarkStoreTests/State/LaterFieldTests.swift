import TidemarkJSON
import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting
import TidemarkWire

@testable import TidemarkStore

/// Answers of GraphQL that are ahead of the log: events up to their place change the fields that they do not have.
@Suite(.pooled) struct LaterFieldTests {
    /// The fields of one entity by name; those of the embedded object as `pos.x`.
    private typealias Fields = [String: Int]

    private enum Change {
        case replace(Fields)
        case merge(Fields)
        case delete
    }

    private static let names = ["a", "b", "pos.x", "pos.y", "pos.z"]

    /// The resource of fields; every resource has the id.
    private static func json(_ fields: Fields) -> String {
        let plain = fields.filter { !$0.key.contains(".") }.sorted { $0.key < $1.key }.map {
            "\"\($0.key)\":\($0.value)"
        }
        let inner = fields.filter { $0.key.contains(".") }.sorted { $0.key < $1.key }.map {
            "\"\($0.key.dropFirst(4))\":\($0.value)"
        }
        let object = inner.isEmpty ? [] : ["\"pos\":{\(inner.joined(separator: ","))}"]
        return "{\((["\"id\":\"1\""] + plain + object).joined(separator: ","))}"
    }

    private static func fields(of resource: [UInt8]) throws -> Fields {
        var fields: Fields = [:]
        for (name, value) in try #require(JSONSlice(compact: resource[...]).members) {
            let name = String(decoding: name, as: UTF8.self)
            if let members = value.members {
                for (inner, value) in members {
                    fields["\(name).\(String(decoding: inner, as: UTF8.self))"] = Int(
                        String(decoding: value.bytes, as: UTF8.self))
                }
            } else if name != "id" {
                fields[name] = Int(String(decoding: value.bytes, as: UTF8.self))
            }
        }
        return fields
    }

    private static func line(_ change: Change, _ sequence: Int) -> String {
        let event =
            switch change {
            case .replace(let fields): #"{"ResourceChanged":{"resource_type":"T","resource":\#(json(fields))}}"#
            case .merge(let fields):
                #"{"ResourceChanged":{"resource_type":"T","resource":\#(json(fields)),"metadata":{}}}"#
            case .delete: #"{"ResourceDeleted":{"resource_type":"T","resource_id":"1"}}"#
            }
        return #"{"sequence":\#(sequence),"event":\#(event)}"#
    }

    private static func decode(_ decoder: EventDecoder, _ line: String) throws -> EventBatch {
        var framer = LineFramer(limits: Limits())
        Array((line + "\n").utf8).withUnsafeBytes { framer.append($0) }
        framer.finish()
        return try decoder.decode(try #require(framer.takeBlocks().first))
    }

    private static func some(_ random: inout SeededGenerator, of names: [String] = names) -> [String] {
        names.filter { _ in random.chance(500) }
    }

    /// The server's entity after each number of events; nil where it does not exist.
    private static func history(
        _ count: Int, _ random: inout SeededGenerator
    ) -> (changes: [Change], truth: [Fields?]) {
        var changes: [Change] = []
        var truth: [Fields?] = [nil]
        for number in 1...count {
            let new = Fields(uniqueKeysWithValues: some(&random).map { ($0, number) })
            let known = truth[number - 1]
            switch random.below(10) {
            case 0:
                changes.append(.delete)
                truth.append(nil)
            case 1...4:
                changes.append(.merge(new))
                truth.append(known?.merging(new) { $1 } ?? new)
            default:
                changes.append(.replace(new))
                truth.append(new)
            }
        }
        return (changes, truth)
    }

    private struct Expectation {
        var cursor = 0
        /// The places of fields that an answer brought, and their values.
        var ahead: [String: (place: Int, value: Int)] = [:]
        var highest = 0

        /// The entity at the cursor, with the fields that are known for a later place.
        func fields(_ truth: [Fields?]) -> Fields? {
            let later = ahead.filter { $0.value.place > cursor }.mapValues(\.value)
            guard let known = truth[cursor] else { return highest > cursor ? later : nil }
            return known.merging(later) { $1 }
        }
    }

    @Test(.tags(.model), arguments: TestScale.seeds(200))
    func `each field is as the server had it at the later of the cursor and its answer's place`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (changes, truth) = Self.history(24, &random)
        let decoder = try EventDecoder(limits: Limits())
        var state = CacheState(configuration: CacheStateConfiguration(), recovered: RecoveredState(), seed: seed)
        let key = EntityKey(library: "", type: "T", id: "1")
        var expected = Expectation()
        // An answer has its place in a log that has begun.
        state.apply(try Self.decode(decoder, Self.line(changes[0], 1)), at: 1)
        expected.cursor = 1
        var walk = RandomWalk(seed: seed)
        while expected.cursor < changes.count, walk.next(of: .max) {
            if random.chance(600) {
                let batch = try Self.decode(decoder, Self.line(changes[expected.cursor], expected.cursor + 1))
                state.apply(batch, at: Int64(expected.cursor))
                expected.cursor += 1
            } else {
                let isPlaceKnown = random.chance(800)
                // A server does not go back: an answer without a place is no older than those before it.
                let place =
                    isPlaceKnown
                    ? expected.cursor + random.below(changes.count - expected.cursor + 1)
                    : max(expected.cursor, expected.highest)
                guard let there = truth[place] else { continue }
                let names = Self.some(&random, of: there.keys.sorted())
                let given = there.filter { names.contains($0.key) }
                let answer = FieldResponse(
                    library: "", entities: [FieldResponse.Entity(key: key, resource: Array(Self.json(given).utf8))],
                    roots: [], asOf: isPlaceKnown ? EventSequence(Int64(place)) : nil)
                try state.store(answer, at: Int64(place))
                if isPlaceKnown, place < expected.highest { continue }
                expected.highest = max(expected.highest, place)
                for (name, value) in given { expected.ahead[name] = (place, value) }
            }
            state.checkInvariants()
            let seen: Fields? =
                switch state.look(key, asked: []) {
                case .found(let entity): try Self.fields(of: entity.resource)
                case .absent, .deleted, .evicted, .elsewhere: nil
                }
            let wanted = expected.fields(truth)
            guard seen != wanted else { continue }
            try walk.check(
                ["cursor \(expected.cursor): \(String(describing: seen)), not \(String(describing: wanted))"])
        }
        #expect(expected.fields(truth) == truth[changes.count])
    }

    @Test func `an answer of GraphQL and one of a query are told apart after they were packed`() {
        for writer in [EntityStamp.Writer.event, .answer, .transaction, .confirmation, .document] {
            for isPartial in [true, false] where isPartial || writer == .event || writer == .transaction {
                let stamp = EntityStamp(
                    sequence: EventSequence(7), generation: 3, writtenAt: 5, writer: writer, isPartial: isPartial)
                #expect(
                    EntityStamp(sequence: EventSequence(7), packedGeneration: stamp.packedGeneration, writtenAt: 5)
                        == stamp)
            }
        }
    }
}
