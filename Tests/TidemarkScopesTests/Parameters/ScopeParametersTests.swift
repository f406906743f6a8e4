import TestTraits
import Testing
import TidemarkModel

@testable import TidemarkScopes

/// The values of parameters from tokens and addresses, and what each refusal says.
@Suite(.pooled) struct ScopeParametersTests {
    private func definition(_ params: String, _ predicate: String) throws -> ScopeDefinition {
        let text = #"{"scopes":{"s":{"params":\#(params),"types":{"t":{"where":\#(predicate)}}}}}"#
        return try #require(try ScopeFile(json: Array(text.utf8)).scopes["s"])
    }

    private func claim(_ claim: String, _ operation: String = "eq") throws -> ScopeDefinition {
        try definition(#"{"p":{"claim":\#(claim)}}"#, #"{"path":"/a","\#(operation)":{"param":"p"}}"#)
    }

    private func value(_ definition: ScopeDefinition, claims: String) -> Result<String, ScopeRequestError> {
        Result { () throws(ScopeRequestError) in
            let parameters = try ScopeParameters(definition, claims: Array(claims.utf8), address: [])
            _ = try parameters.binding(definition.types[0].rule)
            return String(decoding: parameters.canonical, as: UTF8.self)
        }
    }

    private func value(
        _ definition: ScopeDefinition, _ address: [(String, String)]
    ) -> Result<String, ScopeRequestError> {
        Result { () throws(ScopeRequestError) in
            let parameters = try ScopeParameters(
                definition, claims: Array("{}".utf8), address: address.map { (ByteString($0), ByteString($1)) })
            return String(decoding: parameters.canonical, as: UTF8.self)
        }
    }

    @Test(arguments: [
        (#""sub""#, #"{"sub":"u1"}"#, #"{"p":"u1"}"#), (#""sub""#, #"{"sub":5}"#, #"{"p":5}"#),
        (#""a.b""#, #"{"a.b":1,"a":{"b":2}}"#, #"{"p":1}"#), (#""a.b""#, #"{"a":{"b":2}}"#, #"{"p":2}"#),
        (#"["a","b"]"#, #"{"a.b":1,"a":{"b":2}}"#, #"{"p":2}"#), (#"["a.b"]"#, #"{"a.b":1}"#, #"{"p":1}"#),
        (#""sub""#, #"{"s\u0075b":"\u0075"}"#, #"{"p":"u"}"#), (#""sub""#, #"{"sub":false}"#, #"{"p":false}"#),
    ])
    func `a claim is found by its exact name, then by a path`(claim: String, claims: String, expected: String) throws {
        #expect(value(try self.claim(claim), claims: claims) == .success(expected))
    }

    @Test(arguments: [
        (#""sub""#, "eq", "{}"), (#""sub""#, "eq", #"{"sub":null}"#), (#""sub""#, "eq", #"{"sub":{"a":1}}"#),
        (#""sub""#, "eq", #"{"sub":["u1"]}"#), (#""sub""#, "in", #"{"sub":"u1"}"#), (#""sub""#, "eq", "[]"),
        (#""sub""#, "prefix", #"{"sub":5}"#), (#""a.b""#, "eq", #"{"a.b":null,"a":{"b":1}}"#), (#""sub""#, "eq", "{"),
        (#""sub""#, "eq", #"{"sub":"u1","sub":"u2"}"#),
    ])
    func `a claim without a usable value is forbidden`(claim: String, operation: String, claims: String) throws {
        #expect(value(try self.claim(claim, operation), claims: claims) == .failure(.forbidden))
    }

    @Test func `an array is for in`() throws {
        let claims = #"{"groups":["a", 5]}"#
        #expect(value(try claim(#""groups""#, "in"), claims: claims) == .success(#"{"p":["a",5]}"#))
    }

    @Test(arguments: [
        ("5", "5"), ("0", "0"), ("-0", "0"), ("-17", "-17"), ("9007199254740992", "9007199254740992"),
        ("-9007199254740992", "-9007199254740992"),
    ])
    func `an integer from the address is digits`(text: String, expected: String) throws {
        let scope = try definition(#"{"p":{"query":"integer"}}"#, #"{"path":"/a","eq":{"param":"p"}}"#)
        #expect(value(scope, [("p", text)]) == .success(#"{"p":\#(expected)}"#))
    }

    @Test(arguments: [
        "", "-", "+1", "01", "-01", "1.0", "1e3", " 1", "1 ", "0x1", "9007199254740993", "-9007199254740993", "١",
        "99999999999999999999999999",
    ])
    func `anything else is no integer`(text: String) throws {
        let scope = try definition(#"{"p":{"query":"integer"}}"#, #"{"path":"/a","eq":{"param":"p"}}"#)
        guard case .failure(.badRequest) = value(scope, [("p", text)]) else {
            Issue.record("\(text) was accepted")
            return
        }
    }

    @Test func `text from the address has 1 to 1024 bytes without controls`() throws {
        let scope = try definition(#"{"p":{"query":"string"}}"#, #"{"path":"/a","eq":{"param":"p"}}"#)
        let long = String(repeating: "é", count: 512)
        #expect(value(scope, [("p", "5")]) == .success(#"{"p":"5"}"#))
        #expect(value(scope, [("p", long)]) == .success(#"{"p":"\#(long)"}"#))
        #expect(value(scope, [("p", #"a"b\"#)]) == .success(#"{"p":"a\"b\\"}"#))
        for text in ["", long + "a", "a\u{0}", "a\n", "\u{7F}", "\u{85}"] {
            guard case .failure(.badRequest) = value(scope, [("p", text)]) else {
                Issue.record("\(text.debugDescription) was accepted")
                continue
            }
        }
        let latin = Result { () throws(ScopeRequestError) -> ScopeParameters in
            try ScopeParameters(scope, claims: [], address: [("p", ByteString([0xE9]))])
        }
        guard case .failure(.badRequest) = latin else {
            Issue.record("bytes that are no UTF-8 were accepted")
            return
        }
    }

    @Test func `the parameters of an address are those of the scope`() throws {
        let scope = try definition(
            #"{"p":{"query":"string"},"c":{"claim":"sub"},"f":{"value":1}}"#,
            #"{"all":[{"path":"/a","eq":{"param":"p"}},{"path":"/b","eq":{"param":"c"}},{"path":"/c","eq":{"param":"f"}}]}"#
        )
        for address in [
            [], [("p", "1"), ("p", "1")], [("p", "1"), ("c", "x")], [("p", "1"), ("f", "1")], [("q", "1")],
        ] {
            guard case .failure(.badRequest(let what)) = value(scope, address) else {
                Issue.record("\(address) was accepted")
                continue
            }
            #expect(!what.contains("sub"))
        }
        // A wrong claim is told only after a right address, and never which one.
        #expect(value(scope, [("p", "1")]) == .failure(.forbidden))
        let parameters = try ScopeParameters(scope, claims: Array(#"{"sub":"u"}"#.utf8), address: [("p", "5")])
        #expect(String(decoding: parameters.canonical, as: UTF8.self) == #"{"c":"u","p":"5"}"#)
    }

    @Test func `5 and "5" are different scopes`() throws {
        let secret = ScopeSecret.test()
        let scope = try claim(#""sub""#)
        let text = try ScopeParameters(scope, claims: Array(#"{"sub":"5"}"#.utf8), address: [])
        let number = try ScopeParameters(scope, claims: Array(#"{"sub":5}"#.utf8), address: [])
        #expect(text != number)
        #expect(secret.libraryID(of: "s", text) != secret.libraryID(of: "s", number))
        #expect(secret.libraryID(of: "s", text) == secret.libraryID(of: "s", text))
        #expect(secret.libraryID(of: "s", text) != secret.libraryID(of: "t", text))
        #expect(secret.libraryID(of: "s", text) != ScopeSecret.test(8).libraryID(of: "s", text))
    }

    @Test func `refusals have their status and say nothing of the rules`() {
        let errors: [ScopeRequestError] = [.notFound, .badRequest("x"), .forbidden, .tooMany]
        #expect(errors.map(\.status) == [404, 400, 403, 429])
        #expect(ScopeRequestError.forbidden.message == "forbidden")
    }
}
