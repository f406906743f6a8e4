import TestTraits
import Testing
import TidemarkModel

@testable import TidemarkGraphQLLanguage

@Suite(.pooled) struct StorageNameTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var field: String
        var name: String
        var variables = ""
        var definitions = ""
        var testDescription: String { field }
    }

    static let examples = [
        Example(field: "name", name: "name"),
        Example(field: "alias: name", name: "name"),
        Example(field: "name @include(if: true)", name: "name"),
        Example(field: "friends(first: 10, after: null)", name: #"friends({"after":null,"first":10})"#),
        Example(field: "f(b: {d: 1, c: [2 3]} a: \"é\\n\\\"\")", name: #"f({"a":"é\n\"","b":{"c":[2,3],"d":1}})"#),
        Example(field: "f(a: ROCK, b: true, c: false)", name: #"f({"a":"ROCK","b":true,"c":false})"#),
        Example(field: "f(a: 1.0, b: 1, c: 1e0, d: -0)", name: #"f({"a":1.0,"b":1,"c":1e0,"d":-0})"#),
        Example(field: "f(a: \"\"\"\n  x\n  y\"\"\")", name: #"f({"a":"x\ny"})"#),
        Example(field: "f(a: $v)", name: #"f({"a":1.50})"#, variables: #"{"v":1.50}"#, definitions: "$v: Float"),
        Example(field: "f(a: $v)", name: #"f({"a":"ROCK"})"#, variables: #"{"v":"ROCK"}"#, definitions: "$v: Genre"),
        Example(
            field: "f(a: $v)", name: #"f({"a":{"x":2,"y":1}})"#, variables: #"{"v":{"y":1,"x":2}}"#,
            definitions: "$v: In"),
        Example(field: "f(a: $v)", name: #"f({"a":7})"#, definitions: "$v: Int = 7"),
        Example(field: "f(a: $v)", name: #"f({"a":null})"#, variables: #"{"v":null}"#, definitions: "$v: Int = 7"),
        Example(field: "f(a: $v)", name: "f", definitions: "$v: Int"),
        Example(field: "f(a: $v, b: 1)", name: #"f({"b":1})"#, definitions: "$v: Int"),
        Example(field: "f(a: {x: $v, y: 1})", name: #"f({"a":{"y":1}})"#, definitions: "$v: Int"),
        Example(field: "f(a: {x: $v})", name: #"f({"a":{}})"#, definitions: "$v: Int"),
        Example(field: "f(a: [$v, 1])", name: #"f({"a":[null,1]})"#, definitions: "$v: Int"),
        Example(field: "f(a: []) ", name: #"f({"a":[]})"#),
        Example(field: "songs(first: 1) @connection(key: \"all\")", name: "all"),
        Example(
            field: "songs(first: 1, by: \"x\") @connection(key: \"all\", filter: [\"by\"])", name: #"all({"by":"x"})"#),
        Example(
            field: "songs(first: 1, by: \"x\") @connection(key: \"all\", filter: \"by\")", name: #"all({"by":"x"})"#),
        Example(field: "songs(first: 1) @connection(key: \"all\", filter: [\"by\"])", name: "all"),
        Example(field: "songs(first: 1) @connection(key: \"all\", filter: [])", name: "all"),
        Example(
            field: "songs(first: $v) @connection(key: $k, filter: [\"first\"])", name: #"mine({"first":2})"#,
            variables: #"{"v":2,"k":"mine"}"#, definitions: "$v: Int, $k: String!"),
        Example(field: "songs(first: 1) @connection(key: \"\")", name: #"songs({"first":1})"#),
    ]

    @Test(arguments: examples) func `a field is stored under its name and its arguments`(_ example: Example) throws {
        let head = example.definitions.isEmpty ? "" : "query(\(example.definitions)) "
        let document = try DocumentParser.parseExecutable(Array("\(head){ \(example.field) }".utf8))
        guard case .field(let field) = document.operations[0].selections[0] else {
            throw DocumentError(.invalidDocument, "no field")
        }
        let json = example.variables.isEmpty ? nil : Array(example.variables.utf8)
        let variables = try OperationVariables.read(json, of: document.operations[0], schema: nil)
        #expect(StorageName.of(field, variables: variables.given) == ByteString(example.name))
    }

    @Test func `an id that would be too long ends with a digest`() {
        let long = ByteString("f(" + String(repeating: "x", count: 1_022) + ")")
        #expect(long.bytes.count == 1_025)
        let id = RootID.of(long, field: "f")
        #expect(id.description.hasPrefix("f#") && id.bytes.count == 34)
        #expect(RootID.of(ByteString(long.bytes.dropLast()), field: "f").bytes.count == 1_024)
        let name = ByteString(String(repeating: "y", count: 1_024))
        #expect(RootID.of(ByteString(name.bytes + [0x28]), field: name).bytes.count == RootID.byteCountMax)
    }
}
