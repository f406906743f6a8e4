import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkStore

/// A write dates what it set, the objects around it, and nothing beside it.
@Suite(.pooled) struct WrittenFieldsTests {
    /// The dates of all places of an object, the naive way: each place has its own.
    private struct Model {
        var value: ReferenceObject
        var dates: [[String]: Int] = [:]

        init(_ value: ReferenceObject, at moment: Int) {
            self.value = value
            for path in value.paths { dates[path] = moment }
        }

        mutating func merge(_ other: ReferenceObject, at moment: Int) {
            Model.merge(other, into: &value, at: [], moment, &dates)
        }

        private static func merge(
            _ other: ReferenceObject, into value: inout ReferenceObject, at path: [String], _ moment: Int,
            _ dates: inout [[String]: Int]
        ) {
            guard case .object(let others) = other, case .object(var members) = value else { return }
            for (name, new) in others {
                let place = path + [name]
                dates[place] = moment
                if case .object = new, case .object? = members[name] {
                    var inner = members[name] ?? new
                    merge(new, into: &inner, at: place, moment, &dates)
                    members[name] = inner
                } else {
                    dates = dates.filter { !$0.key.starts(with: place) || $0.key == place }
                    members[name] = new
                    for below in new.paths { dates[place + below] = moment }
                }
            }
            value = .object(members)
        }
    }

    private indirect enum ReferenceObject: Hashable {
        case number(Int)
        case object([String: ReferenceObject])

        var paths: [[String]] {
            guard case .object(let members) = self else { return [] }
            return members.flatMap { name, value in [[name]] + value.paths.map { [name] + $0 } }
        }

        var json: String {
            switch self {
            case .number(let number): return "\(number)"
            case .object(let members):
                return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1.json)" }.joined(separator: ",")
                    + "}"
            }
        }

        static func random(_ random: inout SeededGenerator, levels: Int) -> ReferenceObject {
            var members: [String: ReferenceObject] = [:]
            for name in ["a", "b", "c"] where random.chance(600) {
                members[name] =
                    levels > 0 && random.chance(500) ? .random(&random, levels: levels - 1) : .number(random.below(3))
            }
            return .object(members)
        }
    }

    private static func path(_ names: [String]) -> ByteString {
        ByteString(Array(names.joined(separator: "\0").utf8))
    }

    @Test(.tags(.model), arguments: TestScale.seeds(200))
    func `merges date each place as a model that keeps a date for each`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let first = ReferenceObject.random(&random, levels: 3)
        var model = Model(first, at: 0)
        var dates: [ByteString: Int] = [:]
        for moment in 1...8 {
            let next = ReferenceObject.random(&random, levels: 3)
            let merged = Array(next.json.utf8).withUnsafeBytes { new in
                Array(model.value.json.utf8).withUnsafeBytes { Merge.byPath(new, into: $0) }
            }
            model.merge(next, at: moment)
            merged.written.date(&dates, rest: 0, as: moment)
            for (names, wanted) in model.dates.sorted(by: { $0.key.joined() < $1.key.joined() }) {
                let found = WrittenFields.nearest(to: Self.path(names), where: { dates[$0] }) ?? 0
                #expect(found == wanted, "seed \(seed), write \(moment): \(names) of \(model.value.json)")
            }
        }
    }

    @Test func `of two writes of one unit the later one adds to the earlier`() {
        func written(_ fields: String, _ base: String) -> WrittenFields {
            Array(fields.utf8).withUnsafeBytes { new in
                Array(base.utf8).withUnsafeBytes { Merge.byPath(new, into: $0).written }
            }
        }
        var both = written(#"{"v":{"a":1}}"#, #"{"v":{"a":0,"b":0,"in":{"x":0,"y":0}}}"#)
        both.add(written(#"{"v":{"in":{"x":1}}}"#, #"{"v":{"a":1,"b":0,"in":{"x":0,"y":0}}}"#))
        var dates: [ByteString: Int] = [:]
        both.date(&dates, rest: 1, as: 2)
        #expect(dates == ["v": 2, Self.path(["v", "b"]): 1, Self.path(["v", "in", "y"]): 1])
    }
}
