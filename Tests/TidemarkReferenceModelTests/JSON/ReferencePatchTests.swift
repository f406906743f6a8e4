import TestTraits
import Testing
import TidemarkReferenceModel

@Suite(.pooled) struct ReferencePatchTests {
    private func json(_ text: String) throws -> ReferenceJSON { try ReferenceJSONParser.parse(Array(text.utf8)) }

    private func apply(_ patch: String, to list: String) throws -> String {
        try ReferencePatch.apply(json(patch), to: json(list)).description
    }

    @Test(arguments: [
        ("[]", "[1,2]", "[1,2]"),
        (#"[{"op":"add","path":"/0","value":{"a":1.10}}]"#, "[]", #"[{"a":1.10}]"#),
        (#"[{"op":"add","path":"/1","value":9}]"#, "[1,2]", "[1,9,2]"),
        (#"[{"op":"add","path":"/-","value":9}]"#, "[1,2]", "[1,2,9]"),
        (#"[{"op":"remove","path":"/0"},{"op":"remove","path":"/0"}]"#, "[1,2,3]", "[3]"),
        (#"[{"op":"replace","path":"/1","value":null}]"#, "[1,2]", "[1,null]"),
        (#"[{"op":"move","from":"/0","path":"/2"}]"#, "[1,2,3]", "[2,3,1]"),
        (#"[{"op":"move","from":"/2","path":"/0"}]"#, "[1,2,3]", "[3,1,2]"),
    ])
    func `whole elements are added, removed, replaced and moved`(patch: String, list: String, wanted: String) throws {
        #expect(try apply(patch, to: list) == wanted)
    }

    @Test(arguments: [
        "{}", #"[{"op":"add","path":"/3","value":1}]"#, #"[{"op":"add","path":"/0"}]"#,
        #"[{"op":"remove","path":"/2"}]"#, #"[{"op":"remove","path":"/-"}]"#, #"[{"op":"remove","path":"/00"}]"#,
        #"[{"op":"remove","path":"/+1"}]"#, #"[{"op":"remove","path":"0"}]"#, #"[{"op":"remove","path":""}]"#,
        #"[{"op":"replace","path":"/-1","value":1}]"#, #"[{"op":"replace","path":"/0/a","value":1}]"#,
        #"[{"op":"move","path":"/0"}]"#, #"[{"op":"move","from":"/0","path":"/2"}]"#,
        #"[{"op":"copy","from":"/0","path":"/0"}]"#,
    ])
    func `a patch that cannot be applied is refused`(patch: String) throws {
        #expect(throws: ReferencePatchError.self) { try apply(patch, to: "[1,2]") }
    }
}
