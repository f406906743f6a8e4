import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkGraphQL

/// The memory of a read, beside arrays.
@Suite(.pooled) struct ReadBufferTests {
    @Test(arguments: TestScale.seeds(4))
    func `a text is the bytes that were appended and not removed`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var text = TextBuffer()
        var model: [UInt8] = []
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 2_000) {
            switch random.below(8) {
            case 0:
                let count = random.below(model.count + 1)
                text.truncate(to: count)
                model.removeLast(model.count - count)
            case 1, 2:
                let byte = UInt8(random.below(256))
                text.append(byte)
                model.append(byte)
            case 3:
                text.append("null")
                model += Array("null".utf8)
            default:
                let bytes = (0..<random.below(random.chance(50) ? 3_000 : 20)).map { UInt8(truncatingIfNeeded: $0) }
                text.append(bytes)
                model += bytes
            }
            #expect(text.count == model.count, "\(walk)")
            let start = random.below(model.count + 1)
            #expect(text.bytes(in: start..<model.count) == Array(model[start...]), "\(walk)")
        }
        #expect(text.bytes(in: 0..<text.count) == model)
    }

    @Test(arguments: TestScale.seeds(4))
    func `a stack has the members that were appended and not removed`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var stack = MemberStack()
        var model: [[Range<Int>]] = []
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 2_000) {
            let number = walk.step
            switch random.below(10) {
            case 0:
                let count = random.below(model.count + 1)
                stack.truncate(to: count)
                model.removeLast(model.count - count)
            case 1 where !model.isEmpty:
                let index = random.below(model.count)
                stack[index].value = 0..<number
                model[index][1] = 0..<number
            default:
                stack.append(StoredScan.Member(name: number..<number + 1, value: number..<number + 2))
                model.append([number..<number + 1, number..<number + 2])
            }
            #expect((0..<stack.count).map { [stack[$0].name, stack[$0].value] } == model, "\(walk)")
        }
    }

    @Test func `an object gives each name once with its last value, in any spelling`() {
        let text = #"{"a":1,"\u0061":2,"b":"\"x\\","a":{"a":[1,{"b":3}]},"long name of a field":-1.5e3,"\u0062":null}"#
        Array(text.utf8).withUnsafeBytes { bytes in
            var members = MemberStack()
            StoredScan.open(0..<bytes.count, of: bytes, into: &members)
            let found = (0..<members.count).map { index in
                [members[index].name, members[index].value].map { String(decoding: bytes[$0], as: UTF8.self) }
            }
            #expect(found == [["a", #"{"a":[1,{"b":3}]}"#], ["b", "null"], ["long name of a field", "-1.5e3"]])
            for (name, value) in [("long name of a field", "-1.5e3"), ("b", "null")] {
                for expected in -1...3 {
                    let index = Array(name.utf8).withUnsafeBytes {
                        StoredScan.index(of: $0, in: members, 0..<members.count, expected: expected, of: bytes)
                    }
                    #expect(index.map { String(decoding: bytes[members[$0].value], as: UTF8.self) } == value)
                }
            }
        }
    }
}
