import TestTraits
import Testing
import Tidemark
import TidemarkReferenceModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@Suite(.pooled) struct JSONPatchTests {
    private func patch(_ operations: [ListOperation<[UInt8]>]) -> String {
        var output: [UInt8] = []
        JSONPatch.append(operations, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `every operation is written in the form of RFC 6902`() {
        #expect(patch([]) == "[]")
        #expect(
            patch([
                .add(Array(#"{"id":"a"}"#.utf8), at: 3), .remove(at: 0), .replace(Array("null".utf8), at: 12),
                .move(from: 5, to: 2),
            ])
                == #"[{"op":"add","path":"/3","value":{"id":"a"}},{"op":"remove","path":"/0"},"#
                + #"{"op":"replace","path":"/12","value":null},{"op":"move","from":"/5","path":"/2"}]"#)
    }

    @Test func `a patch is appended to the output`() {
        var output = Array(#"{"patch":"#.utf8)
        JSONPatch.append([.remove(at: 1)], to: &output)
        #expect(String(decoding: output, as: UTF8.self) == #"{"patch":[{"op":"remove","path":"/1"}]"#)
    }

    @Test(arguments: TestScale.seeds(100))
    func `a subscriber that applies every patch sees every list`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var versions: [ListHandle: Int] = [:]
        var handles: [ListHandle] = []
        func element(_ handle: ListHandle) -> [UInt8] {
            Array(#"{"id":\#(handle),"v":\#(versions[handle, default: 0])}"#.utf8)
        }
        func written(_ handles: [ListHandle]) -> String {
            "[" + handles.map { String(decoding: element($0), as: UTF8.self) }.joined(separator: ",") + "]"
        }
        var seen = try ReferenceJSONParser.parse(Array("[]".utf8))
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 20) {
            let before = handles
            for _ in 0..<random.below(5) {
                let handle = ListHandle(random.below(30))
                handles.removeAll { $0 == handle }
                if random.chance(700) { handles.insert(handle, at: random.below(handles.count + 1)) }
            }
            let changed = Set(handles.filter { _ in random.chance(200) })
            for handle in changed { versions[handle, default: 0] += 1 }
            let operations = ListDifference.operations(from: before, to: handles, isReplaced: changed.contains)
            let patch = try ReferenceJSONParser.parse(Array(patch(operations.map { $0.map(element) }).utf8))
            seen = try ReferencePatch.apply(patch, to: seen)
            #expect(seen.description == written(handles), "\(walk)")
        }
    }
}
