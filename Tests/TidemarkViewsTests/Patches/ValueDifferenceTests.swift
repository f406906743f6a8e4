import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting
import ViewOracle

@testable import TidemarkViews

@Suite(.pooled) struct ValueDifferenceTests {
    private func patch(_ old: String, _ new: String) -> String {
        var operations: [ViewPatchOperation] = []
        ValueDifference.append(Array(old.utf8), Array(new.utf8), at: [], to: &operations)
        return String(decoding: ViewPatchOperation.text(operations), as: UTF8.self)
    }

    @Test(
        arguments: [
            (#"{"a":1}"#, #"{"a":1}"#, "[]"), (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, "[]"),
            (#"{"a":"x"}"#, #"{"a":"\u0078"}"#, "[]"),
            (#"{"a":["x",{"b":1,"c":2}]}"#, #"{"a":["\u0078",{"c":2,"b":1}]}"#, "[]"),
            (#"{"a":1}"#, #"{"a":1.0}"#, #"[{"op":"replace","path":"/a","value":1.0}]"#),
            (
                #"{"a":{"b":{"c":1,"d":2}}}"#, #"{"a":{"b":{"c":1,"d":3}}}"#,
                #"[{"op":"replace","path":"/a/b/d","value":3}]"#
            ),
            (#"{"a":[1,2,3]}"#, #"{"a":[1,2]}"#, #"[{"op":"replace","path":"/a","value":[1,2]}]"#),
            (
                #"{"a/b":1,"~":1}"#, #"{"~":2}"#,
                #"[{"op":"remove","path":"/a~1b"},{"op":"replace","path":"/~0","value":2}]"#
            ),
            (
                #"{"a":{}}"#, #"{"a":null,"b":{}}"#,
                #"[{"op":"replace","path":"/a","value":null},{"op":"add","path":"/b","value":{}}]"#
            ),
            (#"{"a":1,"a":2}"#, #"{"a":2}"#, "[]"),
        ] as [(String, String, String)])
    func `objects are changed inside and other values replaced whole`(old: String, new: String, wanted: String) {
        #expect(patch(old, new) == wanted)
    }

    @Test func `a difference leads from one random object to another`() throws {
        for seed in TestScale.seeds(500) {
            var random = SeededGenerator(seed: seed)
            let (old, new) = (RandomEntities.resource("1", &random), RandomEntities.resource("1", &random))
            let patch = try ReferenceJSONParser.parse(Array(patch(old, new).utf8))
            let (left, right) = (
                try ReferenceJSONParser.parse(Array(old.utf8)), try ReferenceJSONParser.parse(Array(new.utf8))
            )
            let found = try NaivePatch.apply(patch, to: left)
            #expect(NaivePatch.plain(found) == NaivePatch.plain(right), "seed \(seed): \(old) to \(new) by \(patch)")
        }
    }
}
