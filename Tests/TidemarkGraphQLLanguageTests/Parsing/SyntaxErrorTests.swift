import TestTraits
import Testing
import TidemarkGraphQLLanguage

/// Syntax errors in documents: the code, and the line and column of the place.
@Suite(.pooled) struct SyntaxErrorTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        var text: String
        var code: GraphQLError.Code
        var line: Int
        var column: Int

        init(_ text: String, _ code: GraphQLError.Code, _ line: Int, _ column: Int) {
            self.text = text
            self.code = code
            self.line = line
            self.column = column
        }

        var testDescription: String { "\(code.rawValue): \(text.prefix(60).debugDescription)" }
    }

    static let characters = [
        Refusal("type A { a: Int } \u{0}", .unexpectedCharacter, 1, 19),
        Refusal("type A ? { a: Int }", .unexpectedCharacter, 1, 8),
        Refusal("type é { a: Int }", .unexpectedCharacter, 1, 6),
        Refusal("# é 😀 e\u{301}\ntype 😀", .unexpectedCharacter, 2, 6),
        Refusal("\"é😀\" ~", .unexpectedCharacter, 1, 6),
        Refusal("\"e\u{301}\" ~", .unexpectedCharacter, 1, 6),
        Refusal("\t\t~", .unexpectedCharacter, 1, 3),
        Refusal("\u{FEFF}~", .unexpectedCharacter, 1, 1),
        Refusal("\u{FEFF} \u{FEFF}~", .unexpectedCharacter, 1, 3),
        Refusal("type A .. B", .unexpectedCharacter, 1, 8),
        Refusal("# a\u{7}b\ntype A", .unexpectedCharacter, 1, 4),
        Refusal("\"a\u{1}\" type A", .unexpectedCharacter, 1, 3),
        Refusal("\"\"\"\na\u{1}\"\"\" type A", .unexpectedCharacter, 2, 2),
        Refusal("\r\n\r\n~", .unexpectedCharacter, 3, 1),
        Refusal("\r\r~", .unexpectedCharacter, 3, 1),
        Refusal("\n\r~", .unexpectedCharacter, 3, 1),
        Refusal("\"\"\"a\r\n\rb\"\"\" ~", .unexpectedCharacter, 3, 6),
        Refusal("\"abc\ntype A", .unterminatedString, 1, 1),
        Refusal("type A @a(b: \"abc", .unterminatedString, 1, 14),
        Refusal("  \"\"\"abc\n\n\"\" type A", .unterminatedString, 1, 3),
        Refusal("\"\"\"abc\\\"\"\"", .unterminatedString, 1, 1),
        Refusal("\"a\\\nb\"", .badEscape, 1, 3),
        Refusal("\"\\x\"", .badEscape, 1, 2),
        Refusal("\"é\\u12G4\"", .badEscape, 1, 3),
        Refusal("\"\\uD83D\"", .badEscape, 1, 2),
        Refusal("\"\\uDE00\"", .badEscape, 1, 2),
        Refusal("\"\\uD83D\\u0041\"", .badEscape, 1, 2),
        Refusal("\"\\uD83D\\uE000\"", .badEscape, 1, 2),
        Refusal("\"\\uD83D\\n\"", .badEscape, 1, 2),
        Refusal("\"\\u{}\"", .badEscape, 1, 2),
        Refusal("\"\\u{110000}\"", .badEscape, 1, 2),
        Refusal("\"\\u{D800}\"", .badEscape, 1, 2),
        Refusal("\"\\u{41\"", .badEscape, 1, 2),
        Refusal("\"\\u00\"", .badEscape, 1, 2),
        Refusal("type A @a(b: 01)", .badNumber, 1, 14),
        Refusal("type A @a(b: -)", .badNumber, 1, 14),
        Refusal("type A @a(b: 1.)", .badNumber, 1, 14),
        Refusal("type A @a(b: 1.e3)", .badNumber, 1, 14),
        Refusal("type A @a(b: 1e)", .badNumber, 1, 14),
        Refusal("type A @a(b: 1e+)", .badNumber, 1, 14),
        Refusal("type A @a(b: 1x)", .badNumber, 1, 14),
        Refusal("type A @a(b: 0xF)", .badNumber, 1, 14),
        Refusal("type A @a(b: 1_000)", .badNumber, 1, 14),
        Refusal("type A @a(b: 1.2.3)", .badNumber, 1, 14),
    ]

    static let tokens = [
        Refusal("", .unexpectedToken, 1, 1),
        Refusal("# only words\n", .unexpectedToken, 2, 1),
        Refusal("\"text\"", .unexpectedToken, 1, 7),
        Refusal("query { a }", .unexpectedToken, 1, 1),
        Refusal("{ a }", .unexpectedToken, 1, 1),
        Refusal("types A", .unexpectedToken, 1, 1),
        Refusal("type", .unexpectedToken, 1, 5),
        Refusal("type { a: Int }", .unexpectedToken, 1, 6),
        Refusal("type A {}", .unexpectedToken, 1, 9),
        Refusal("type A { a }", .unexpectedToken, 1, 12),
        Refusal("type A { a: }", .unexpectedToken, 1, 13),
        Refusal("type A { a: Int", .unexpectedToken, 1, 16),
        Refusal("type A { a: Int!! }", .unexpectedToken, 1, 17),
        Refusal("type A { a: [Int }", .unexpectedToken, 1, 18),
        Refusal("type A { a(): Int }", .unexpectedToken, 1, 12),
        Refusal("type A { a(b: Int = ): Int }", .unexpectedToken, 1, 21),
        Refusal("type A { \"text\" }", .unexpectedToken, 1, 17),
        Refusal("type A { a: Int }\n}", .unexpectedToken, 2, 1),
        Refusal("type A implements { a: Int }", .unexpectedToken, 1, 19),
        Refusal("type A implements B C { a: Int }", .unexpectedToken, 1, 21),
        Refusal("type A implements B, C", .unexpectedToken, 1, 22),
        Refusal("type A implements B & { a: Int }", .unexpectedToken, 1, 23),
        Refusal("type A @ { a: Int }", .unexpectedToken, 1, 10),
        Refusal("type A @a() { a: Int }", .unexpectedToken, 1, 11),
        Refusal("type A @a(b) { a: Int }", .unexpectedToken, 1, 12),
        Refusal("type A @a(b: ) { a: Int }", .unexpectedToken, 1, 14),
        Refusal("type A @a(b: [1) { a: Int }", .unexpectedToken, 1, 16),
        Refusal("type A @a(b: {c 1}) { a: Int }", .unexpectedToken, 1, 17),
        Refusal("type A @a(b: {1: c}) { a: Int }", .unexpectedToken, 1, 15),
        Refusal("union U = ", .unexpectedToken, 1, 11),
        Refusal("union U = A | ", .unexpectedToken, 1, 15),
        Refusal("union U { a }", .unexpectedToken, 1, 9),
        Refusal("enum E {}", .unexpectedToken, 1, 9),
        Refusal("enum E { A true }", .unexpectedToken, 1, 12),
        Refusal("enum E { null }", .unexpectedToken, 1, 10),
        Refusal("input I {}", .unexpectedToken, 1, 10),
        Refusal("input I { a(b: Int): Int }", .unexpectedToken, 1, 12),
        Refusal("scalar S { a: Int }", .unexpectedToken, 1, 10),
        Refusal("schema", .unexpectedToken, 1, 7),
        Refusal("schema {}", .unexpectedToken, 1, 9),
        Refusal("schema { fetch: Q }", .unexpectedToken, 1, 10),
        Refusal("schema { query Q }", .unexpectedToken, 1, 16),
        Refusal("extend", .unexpectedToken, 1, 7),
        Refusal("extend extend type A", .unexpectedToken, 1, 8),
        Refusal("extend directive @a on OBJECT", .unexpectedToken, 1, 8),
        Refusal("extend schema", .unexpectedToken, 1, 14),
        Refusal("extend type A", .unexpectedToken, 1, 14),
        Refusal("extend scalar A\ntype B", .unexpectedToken, 2, 1),
        Refusal("\"text\" extend type A { a: Int }", .unexpectedToken, 1, 8),
        Refusal("directive a on OBJECT", .unexpectedToken, 1, 11),
        Refusal("directive @a", .unexpectedToken, 1, 13),
        Refusal("directive @a() on OBJECT", .unexpectedToken, 1, 14),
        Refusal("directive @a repeated on OBJECT", .unexpectedToken, 1, 14),
        Refusal("directive @a on", .unexpectedToken, 1, 16),
        Refusal("directive @a on object", .unexpectedToken, 1, 17),
        Refusal("directive @a on OBJECT | ", .unexpectedToken, 1, 26),
        Refusal("type A @a(b: $c) { a: Int }", .variableInConstant, 1, 14),
        Refusal("type A @a(b: [{d: $c}]) { a: Int }", .variableInConstant, 1, 19),
        Refusal("input I { a: Int = $c }", .variableInConstant, 1, 20),
    ]

    @Test(arguments: characters + tokens)
    func `a syntax error is reported with its line and column`(wanted: Refusal) throws {
        let error = try #require(refusal(of: Array(wanted.text.utf8)))
        #expect(error.code == wanted.code, "\(error)")
        #expect(error.line == wanted.line && error.column == wanted.column, "\(error)")
    }

    @Test func `bytes that are not UTF-8 are refused with their place`() throws {
        let broken: [[UInt8]] = [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
        ]
        for bytes in broken {
            for (opening, column) in [("type ", 6), ("# é", 4), ("\"é", 3), ("\"\"\"é", 5)] {
                let error = try #require(refusal(of: Array(opening.utf8) + bytes + Array("\n".utf8)))
                #expect(
                    error.code == .invalidUTF8 && error.line == 1 && error.column == column, "\(bytes): \(error)")
            }
        }
    }

    @Test func `a message names the token found, the token expected and a remedy`() throws {
        let texts = [
            "type Song { title String }":
                "1:19: unexpected_token: found \"String\", expected \":\" and the type of the field",
            "type Song {}":
                "1:12: unexpected_token: found \"}\", expected the name of a field; leave out braces with nothing in them",
            "type Song @a(b: 007)":
                "1:17: bad_number: found a zero before other digits; write a number such as 0, -12, 1.5 or 6e-3",
            "type Song\u{0}":
                "1:10: unexpected_character: found U+0000; remove it; in a string write it as an escape",
            "query \(String(repeating: "q", count: 60)) { a }":
                "1:1: unexpected_token: found \"query\", expected a definition: schema, scalar, type, interface, union, "
                + "enum, input, directive or extend",
        ]
        for (text, message) in texts {
            #expect(try #require(refusal(of: Array(text.utf8))).description == message)
        }
    }

    @Test func `values and types nest up to the limit and no further`() {
        func value(_ depth: Int, _ opening: String, _ closing: String) -> [UInt8] {
            let left = String(repeating: opening, count: depth)
            return Array("type A @a(b: \(left)1\(String(repeating: closing, count: depth)))".utf8)
        }
        func type(_ depth: Int) -> [UInt8] {
            let left = String(repeating: "[", count: depth)
            return Array("type A { a: \(left)Int\(String(repeating: "]", count: depth)) }".utf8)
        }
        for (opening, closing, step) in [("[", "]", 1), ("{a:", "}", 3)] {
            #expect(refusal(of: value(64, opening, closing)) == nil)
            let refused = refusal(of: value(65, opening, closing))
            #expect(refused?.code == .tooDeep && refused?.column == 14 + 64 * step)
            #expect(refusal(of: value(100_000, opening, closing))?.code == .tooDeep)
        }
        #expect(refusal(of: type(64)) == nil)
        #expect(refusal(of: type(65))?.code == .tooDeep && refusal(of: type(65))?.column == 13 + 64)
        #expect(refusal(of: type(100_000))?.code == .tooDeep)
    }

    @Test func `a document past a limit is refused`() {
        var limits = DocumentLimits()
        limits.byteCountMax = 40
        limits.definitionCountMax = 2
        limits.memberCountMax = 3
        limits.nameByteCountMax = 9
        let cases: [(String, GraphQLError.Code?, Int)] = [
            ("type A type B" + String(repeating: " ", count: 27), nil, 0),
            ("type A type B" + String(repeating: " ", count: 28), .documentTooLong, 1),
            ("type A type B type C", .tooManyDefinitions, 15),
            ("type A { a: B b: B c: B }", nil, 0),
            ("type A { a: B b: B c: B d: B }", .tooManyMembers, 25),
            ("type A @a @b(c: [1 2])", .tooManyMembers, 18),
            ("enum E { A B C D }", .tooManyMembers, 16),
            ("union U = A | B | C | D", .tooManyMembers, 23),
            ("directive @a on FIELD|QUERY|ENUM|UNION", .tooManyMembers, 34),
            ("type NineBytes", nil, 0),
            ("type TenBytes_x", .nameTooLong, 6),
        ]
        for (text, code, column) in cases {
            do throws(GraphQLError) {
                _ = try DocumentParser.parse(Array(text.utf8), limits: limits)
                #expect(code == nil, "\(text) is accepted")
            } catch {
                #expect(error.code == code && error.column == column, "\(text): \(error)")
            }
        }
    }

    private func refusal(of bytes: [UInt8]) -> GraphQLError? {
        do throws(GraphQLError) {
            _ = try DocumentParser.parse(bytes)
            return nil
        } catch {
            return error
        }
    }
}
