import ScopeTestKit
import TestTraits
import Testing
import TidemarkModel
import TidemarkViews

@testable import TidemarkScopes

/// What a file of scopes may say, and what is refused with which place.
@Suite(.pooled) struct ScopeFileTests {
    /// The error of a file; nil if it is accepted.
    private func refusal(_ text: String) -> ScopeFileError? {
        do {
            _ = try ScopeFile(json: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    /// The error of a file with one scope.
    private func refusal(scope: String) -> ScopeFileError? { refusal(#"{"scopes":{"s":\#(scope)}}"#) }

    /// The error of a scope with a parameter from a claim and one from the address, both of which are used.
    private func refusal(types: String, require: String = "[]", params: String = "") -> ScopeFileError? {
        refusal(
            scope: #"{"params":{"me":{"claim":"sub"},"q":{"query":"string"}\#(params)},"require":\#(require),"#
                + #""types":\#(types)}"#)
    }

    @Test func `the example of the protocol is accepted`() throws {
        let file = try ScopeFile(json: Array(ScopeFiles.project.utf8))
        let scope = try #require(file.scopes["project"])
        #expect(scope.library == "home")
        #expect(scope.parameters.map(\.name) == ["me", "project"])
        #expect(scope.parameters.map(\.source) == [.claim("sub"), .text])
        #expect(scope.types.map(\.type) == ["comment", "issue", "project", "user"])
        #expect(scope.requirements.count == 1)
        // The uses of every rule with a parameter share a walk.
        let comment = String(decoding: scope.types[0].rule.canonical, as: UTF8.self)
        #expect(comment.contains(#""on":{"/project":{"param":"project"},"@key":"comment/issue"}"#), "\(comment)")
    }

    @Test(
        arguments: [
            (#"{"scopes":{}} x"#, "", nil), (#"{"scops":{}}"#, "/scops", "scopes"), ("{}", "/scopes", nil),
            (#"{"scopes":{"a b":{"types":{"t":{}}}}}"#, "/scopes/a b", nil),
            (#"{"scopes":{"a":{"types":{"t":{}}},"a":{"types":{"t":{}}}}}"#, "/scopes/a", nil),
        ] as [(String, String, String?)])
    func `a file that is not one of scopes is refused`(text: String, place: String, nearest: String?) throws {
        let error = try #require(refusal(text))
        #expect(error.place == place && error.nearest == nearest, "\(error)")
    }

    @Test(
        arguments: [
            (#"{}"#, "/types", nil), (#"{"types":{}}"#, "/types", nil),
            (#"{"types":{"t":{}},"libary":"x"}"#, "/libary", "library"),
            (#"{"types":{"t":{}},"params":{"after":{"claim":"a"}}}"#, "/params/after", nil),
            (#"{"types":{"t":{}},"params":{"epoch":{"claim":"a"}}}"#, "/params/epoch", nil),
            (#"{"types":{"t":{}},"params":{"p":{"claim":"a"}}}"#, "/params/p", nil),
            (#"{"types":{"t":{}},"params":{"p":{"clam":"a"}}}"#, "/params/p/clam", "claim"),
            (#"{"types":{"t":{}},"params":{"p":{"claim":"a","value":1}}}"#, "/params/p", nil),
            (#"{"types":{"t":{}},"params":{"p":{}}}"#, "/params/p", nil),
            (#"{"types":{"t":{}},"params":{"p":{"claim":""}}}"#, "/params/p/claim", nil),
            (#"{"types":{"t":{}},"params":{"p":{"claim":[]}}}"#, "/params/p/claim", nil),
            (#"{"types":{"t":{}},"params":{"p":{"claim":["a",1]}}}"#, "/params/p/claim/1", nil),
            (#"{"types":{"t":{}},"params":{"p":{"query":"strin"}}}"#, "/params/p/query", "string"),
            (#"{"types":{"t":{"filds":[]}}}"#, "/types/t/filds", "fields"),
            (#"{"types":{"t":{"fields":["a"],"without":["b"]}}}"#, "/types/t/without", nil),
            (#"{"types":{"t":{"without":["id"]}}}"#, "/types/t/without", nil),
            (#"{"types":{"t":{"without":["/a"]}}}"#, "/types/t/without/0", nil),
            (#"{"types":{"t":{"fields":"a"}}}"#, "/types/t/fields", nil),
            (#"{"types":{"t":{"where":{"path":"/a","eqq":1}}}}"#, "/types/t/where/eqq", "eq"),
            (#"{"types":{"t":{"where":{"path":"u/a","eq":1}}}}"#, "/types/t/where/path", "t"),
            (#"{"types":{"t":{"where":{"path":"/a","eq":{"param":"x"}}}}}"#, "/types/t/where/eq", nil),
            (#"{"types":{"t":{"joins":[{"type":"u","on":{"/t":"t@key"}}]}}}"#, "/types/t/joins/0/kind", nil),
            (
                #"{"types":{"t":{"joins":[{"type":"u","kind":"left","on":{"/t":"t@key"}}]}}}"#, "/types/t/joins/0/kind",
                nil
            ),
            (#"{"types":{"t":{"joins":[{"type":"u","kind":"absent"}]}}}"#, "/types/t/joins/0/on", nil),
            (#"{"types":{"t":{}},"require":[{"on":{"/a":{"param":"p"}}}]}"#, "/require/0/type", nil),
            (#"{"types":{"t":{}},"require":[{"type":"u"}]}"#, "/require/0/on", nil),
            (#"{"types":{"t":{}},"require":[{"type":"u","on":{}}]}"#, "/require/0/on", nil),
            (
                #"{"types":{"t":{}},"require":[{"type":"u","kind":"absent","on":{"/a":{"param":"p"}}}]}"#,
                "/require/0/kind", nil
            ),
            (#"{"types":{"t":{}},"require":[{"type":"u","on":{"/a":"t/b"}}]}"#, "/require/0/on/~1a", nil),
            (
                #"{"types":{"t":{}},"params":{"p":{"claim":"a"}},"require":[{"type":"u","on":{"/a":{"param":"q"}}}]}"#,
                "/require/0/on/~1a", "p"
            ),
            (
                #"{"types":{"t":{}},"params":{"p":{"claim":"a"}},"require":[{"type":"u","on":{"/a":{"param":"p"}},"#
                    + #""where":{"path":"/b","gtt":1}}]}"#, "/require/0/where/gtt", "gt"
            ),
            (
                #"{"types":{"t":{}},"params":{"p":{"claim":"a"}},"require":[{"type":"u","on":{"/a":{"param":"p"}},"#
                    + #""joins":[{"type":"v","kind":"exists","on":{"/b":"w@key"}}]}]}"#, "/require/0/joins/0/on/~1b",
                "u"
            ),
            (
                #"{"params":{"p":{"value":5}},"types":{"t":{"where":{"path":"/a","in":{"param":"p"}}}}}"#,
                "/params/p/value", nil
            ),
            (
                #"{"params":{"p":{"value":[5]}},"types":{"t":{"where":{"path":"/a","eq":{"param":"p"}}}}}"#,
                "/params/p/value", nil
            ),
            (
                #"{"params":{"p":{"claim":"a"}},"types":{"t":{"where":{"all":[{"path":"/a","eq":{"param":"p"}},"#
                    + #"{"path":"/a","in":{"param":"p"}}]}}}}"#, "/params/p", nil
            ),
        ] as [(String, String, String?)])
    func `a scope that breaks a rule is refused with its place and the nearest name`(
        scope: String, place: String, nearest: String?
    ) throws {
        let error = try #require(refusal(scope: scope), "\(scope)")
        #expect(error.place == "/scopes/s" + place && error.nearest == nearest, "\(error)")
    }

    @Test(arguments: [
        #"{"params":{"p":{"value":null}},"types":{"t":{"where":{"path":"/a","eq":{"param":"p"}}}}}"#,
        #"{"params":{"p":{"claim":["a","b"]}},"types":{"t":{"where":{"path":"/a","in":{"param":"p"}}}}}"#,
        #"{"types":{"t-x":{"as":"t","joins":[{"type":"u","kind":"absent","on":{"/t":"t@key"}}]}}}"#,
        #"{"params":{"p":{"claim":"a"}},"types":{"t":{}},"require":[{"type":"u","on":{"@key":{"param":"p"}}}]}"#,
        #"{"params":{"p":{"claim":"a"}},"types":{"t":{}},"require":[{"type":"u","as":"x","on":{"/a":[{"param":"p"}]},"#
            + #""joins":[{"type":"v","kind":"absent","on":{"/b":"x@key"}},{"type":"w","on":{"@key":"x/w"}}]}]}"#,
    ])
    func `unusual scopes are accepted`(scope: String) {
        #expect(refusal(scope: scope) == nil)
    }

    // MARK: Oracles

    private static let used = #""t":{"where":{"path":"/me","eq":{"param":"me"}}}"#

    @Test(arguments: [
        (#"{\#(used),"u":{"where":{"path":"/a","eq":{"param":"q"}},"without":["a"]}}"#, "/types/u/where/eq"),
        (#"{\#(used),"u":{"where":{"path":"/a/b","eq":{"param":"q"}},"fields":["b"]}}"#, "/types/u/where/eq"),
        (#"{\#(used),"u":{"where":{"path":"","eq":{"param":"q"}},"fields":["b"]}}"#, "/types/u/where/eq"),
        (#"{\#(used),"u":{"where":{"path":"/a~1b","eq":{"param":"q"}},"without":["a/b"]}}"#, "/types/u/where/eq"),
        (#"{\#(used),"u":{"where":{"path":"/a","prefix":{"param":"q"}}}}"#, "/types/u/where/prefix"),
        (#"{\#(used),"u":{"where":{"not":{"path":"/a","lt":{"param":"q"}}}}}"#, "/types/u/where/not/lt"),
        (#"{\#(used),"u":{"where":{"any":[{"path":"/a","ne":{"param":"q"}}]}}}"#, "/types/u/where/any/0/ne"),
        (
            #"{\#(used),"u":{"joins":[{"type":"v","kind":"exists","on":{"/u":"u@key","/a":{"param":"q"}}}]}}"#,
            "/types/u/joins/0/on/~1a"
        ),
        (
            #"{\#(used),"u":{"joins":[{"type":"v","kind":"absent","on":{"/u":"u@key","@key":{"param":"q"}}}]}}"#,
            "/types/u/joins/0/on/@key"
        ),
        (
            #"{\#(used),"v":{"fields":["u"]},"u":{"joins":[{"type":"v","kind":"exists","on":{"/u":"u@key","/a/*":"#
                + #"[{"param":"q"}]}}]}}"#, "/types/u/joins/0/on/~1a~1*"
        ),
        (
            #"{\#(used),"u":{"joins":[{"type":"v","kind":"exists","on":{"/u":"u@key"},"joins":[{"type":"w","#
                + #""kind":"exists","on":{"/v":"v@key"},"where":{"path":"v/s","eq":{"param":"q"}}}]}]}}"#,
            "/types/u/joins/0/joins/0/where/eq"
        ),
    ])
    func `a value from the address cannot be compared with what is hidden`(types: String, place: String) throws {
        let error = try #require(refusal(types: types))
        #expect(error.place == "/scopes/s" + place, "\(error)")
    }

    @Test func `a value from the address may be compared with sent members and in require`() {
        let sent = #"{\#(Self.used),"u":{"where":{"path":"/a/x","eq":{"param":"q"}},"without":["b"]}}"#
        #expect(refusal(types: sent) == nil)
        let key =
            #"{\#(Self.used),"u":{"joins":[{"type":"t","kind":"exists","on":{"/u":"u@key","@key":{"param":"q"}}}]}}"#
        #expect(refusal(types: key) == nil)
        let required = #"[{"type":"m","on":{"/p":{"param":"q"}}}]"#
        #expect(refusal(types: "{\(Self.used)}", require: required) == nil)
        // The same comparison as in require asks nothing new.
        let again =
            #"{\#(Self.used),"u":{"joins":[{"type":"m","kind":"exists","on":{"/u":"u@key","/p":{"param":"q"}}}]}}"#
        #expect(refusal(types: again, require: required) == nil)
        #expect(refusal(types: again) != nil)
        // Only by eq and on, also there.
        let prefix = #"[{"type":"m","on":{"/u":{"param":"me"}},"where":{"path":"/p","prefix":{"param":"q"}}}]"#
        #expect(refusal(types: "{\(Self.used)}", require: prefix)?.place == "/scopes/s/require/0/where/prefix")
    }

    @Test func `other names of a type are one type`() {
        let text = Array(#"{"scopes":{"s":{"types":{"entry":{},"file":{}}}}}"#.utf8)
        #expect(throws: ScopeFileError.self) { try ScopeFile(json: text, types: ["entry": "file"]) }
    }
}
