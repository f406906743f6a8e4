import TestTraits
import Testing
import TidemarkModel

@testable import TidemarkGraphQLLanguage

@Suite(.pooled) struct CoercionTests {
    private func variables(
        _ definitions: String, _ json: String?, _ schema: GraphQLSchema? = MusicSchema.schema
    ) throws -> OperationVariables {
        let document = try DocumentParser.parseExecutable(Array("query(\(definitions)) { count }".utf8))
        return try OperationVariables.read(json.map { Array($0.utf8) }, of: document.operations[0], schema: schema)
    }

    struct Good: Sendable {
        var definition: String
        var json: String
        var given: String
        var coerced: String

        init(_ definition: String, _ json: String, _ given: String, _ coerced: String? = nil) {
            self.definition = definition
            self.json = json
            self.given = given
            self.coerced = coerced ?? given
        }
    }

    static let good = [
        Good("$a: Int", "{}", "{}"),
        Good("$a: Int", #"{"a":null}"#, #"{"a":null}"#),
        Good("$a: Int = 5", "{}", #"{"a":5}"#),
        Good("$a: Int = 5", #"{"a":null}"#, #"{"a":null}"#),
        Good("$a: Int! = 5", "{}", #"{"a":5}"#),
        Good("$a: Int", #"{"a":1.0,"b":2}"#, #"{"a":1.0}"#),
        Good("$a: Float", #"{"a":1e3}"#, #"{"a":1e3}"#),
        Good("$a: Float", #"{"a":-0.0}"#, #"{"a":-0.0}"#),
        Good("$a: ID", #"{"a":123456789012345678901234567890}"#, #"{"a":123456789012345678901234567890}"#),
        Good("$a: [Int]", #"{"a":1}"#, #"{"a":1}"#, #"{"a":[1]}"#),
        Good("$a: [[Int]]", #"{"a":[1,[2],null]}"#, #"{"a":[1,[2],null]}"#, #"{"a":[[1],[2],null]}"#),
        Good("$a: Genre", #"{"a":"ROCK"}"#, #"{"a":"ROCK"}"#),
        Good("$a: Genre = JAZZ", "{}", #"{"a":"JAZZ"}"#),
        Good("$a: Date", #"{"a":{"y":[1,null]}}"#, #"{"a":{"y":[1,null]}}"#),
        Good(
            "$a: SongInput", #"{"a":{"title":"x"}}"#, #"{"a":{"title":"x"}}"#,
            #"{"a":{"seconds":0,"tags":["new"],"title":"x"}}"#),
        Good(
            "$a: SongInput = {title: \"y\", genre: ROCK}", "{}", #"{"a":{"genre":"ROCK","title":"y"}}"#,
            #"{"a":{"genre":"ROCK","seconds":0,"tags":["new"],"title":"y"}}"#),
        Good("$a: String", #"{"a":"\ud83d\ude00\u0041\ud800\n"}"#, #"{"a":"😀A\ud800\n"}"#),
    ]

    @Test(arguments: good.indices) func `variables are taken, and made what their types want`(_ index: Int) throws {
        let example = CoercionTests.good[index]
        let variables = try variables(example.definition, example.json)
        #expect(InputValue.object(variables.given).json == ByteString(example.given))
        #expect(InputValue.object(variables.coerced).json == ByteString(example.coerced))
        // Without a schema the values are the same, and nothing is coerced.
        let plain = try self.variables(example.definition, example.json, nil)
        #expect(plain.given == variables.given && plain.coerced == variables.given)
    }

    static let bad: [(String, String, String)] = [
        ("$a: Int!", "{}", "$a has no value"),
        ("$a: Int!", #"{"a":null}"#, "$a is null"),
        ("$a: Int", #"{"a":1.5}"#, "$a is not of type Int: pass an Int"),
        ("$a: Int", #"{"a":"1"}"#, "$a is not of type Int"),
        ("$a: Int", #"{"a":2147483648}"#, "$a is not of type Int"),
        ("$a: Int", #"{"a":true}"#, "$a is not of type Int"),
        ("$a: Float", #"{"a":1e999}"#, "$a is not of type Float"),
        ("$a: String", #"{"a":1}"#, "$a is not of type String"),
        ("$a: Boolean", #"{"a":0}"#, "$a is not of type Boolean"),
        ("$a: ID", #"{"a":1.5}"#, "$a is not of type ID"),
        ("$a: Genre", #"{"a":"POP"}"#, "$a is not of type Genre"),
        ("$a: Genre", #"{"a":1}"#, "$a is not of type Genre"),
        ("$a: [Int!]", #"{"a":[1,null]}"#, "$a is not of type [Int!] at [1]: null is not allowed"),
        ("$a: SongInput", #"{"a":[]}"#, "$a is not of type SongInput: pass an object"),
        ("$a: SongInput", #"{"a":{}}"#, "$a is not of type SongInput at .title: it must be given"),
        ("$a: SongInput", #"{"a":{"title":"x","artist":{"name":1}}}"#, "at .artist.name: pass a String"),
        ("$a: SongInput", #"{"a":{"title":"x","nobody":1}}"#, "SongInput has no field nobody"),
        ("$a: Int", "[]", "The variables are not an object"),
        ("$a: Int", "{", "The variables are not JSON at byte 1"),
        ("$a: Int", #"{"a":01}"#, "The variables are not JSON at byte 6"),
    ]

    @Test(arguments: bad.indices) func `variables that do not fit are refused by name`(_ index: Int) {
        let (definition, json, words) = CoercionTests.bad[index]
        #expect {
            try variables(definition, json)
        } throws: { error in
            guard let error = error as? DocumentError else { return false }
            return error.code == .invalidParams && error.message.contains(words) && error.message.hasSuffix(".")
        }
    }

    @Test func `without a schema only a value that must be there is asked for`() throws {
        #expect(throws: DocumentError.self) { try variables("$a: Int!", "{}", nil) }
        #expect(throws: DocumentError.self) { try variables("$a: Nobody!", #"{"a":null}"#, nil) }
        #expect(try variables("$a: Int", #"{"a":"x"}"#, nil).given == ["a": .string("x")])
        #expect(try variables("$a: Int", nil, nil).given.isEmpty)
    }

    @Test func `JSON is read as it is written`() throws {
        for text in ["{\"a\":[1,-0,1.50,1E+2,\"\",\"\\\"\\\\\",true,false,null,{}]}", "[]", "7", "\"é\"", "{\"\":{}}"] {
            #expect(try InputValueReader.read(Array(text.utf8)).json == ByteString(text))
        }
        #expect(try InputValueReader.read(Array(" { \"b\" : 1 , \"a\" : 2, \"b\":3 } ".utf8)).json == #"{"a":2,"b":3}"#)
        for text in [
            "", "{", "[1,]", "{\"a\":1,}", "nul", "01", "1.", ".5", "1e", "+1", "\"a", "\"\\x\"", "\"\\u12\"", "\"\t\"",
            "1 2",
            "{a:1}", "'a'", "[1 2]",
        ] {
            #expect(throws: InputValueError.self, "\(text)") { try InputValueReader.read(Array(text.utf8)) }
        }
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(throws: Never.self) { try InputValueReader.read(Array(deep.utf8)) }
        #expect(throws: InputValueError(offset: 64, isTooDeep: true)) {
            try InputValueReader.read(Array("[\(deep)]".utf8))
        }
        #expect(throws: InputValueError.self) { try InputValueReader.read([0x22, 0xFF, 0x22]) }
    }

    @Test func `arguments get their defaults from the schema`() throws {
        let document = try DocumentParser.parseExecutable(
            Array(
                "query($n: Int) { hero { songs(after: \"x\") { id } } search(text: \"a\", limit: $n) { __typename } }"
                    .utf8))
        let schema = MusicSchema.schema
        guard case .field(let hero) = document.operations[0].selections[0], case .field(let songs) = hero.selections[0],
            case .field(let search) = document.operations[0].selections[1],
            let songsField = schema.type("Artist")?.field("songs"),
            let searchField = schema.type("Query")?.field("search")
        else { throw DocumentError(.invalidDocument, "no such fields") }
        #expect(
            try InputValue.object(schema.coerceArguments(of: songs, as: songsField, variables: [:])).json
                == #"{"after":"x","first":10}"#)
        #expect(
            try InputValue.object(schema.coerceArguments(of: search, as: searchField, variables: [:])).json
                == #"{"limit":3,"text":"a"}"#)
        #expect(throws: DocumentError.self) {
            try schema.coerceArguments(of: search, as: searchField, variables: ["n": .null])
        }
    }
}
