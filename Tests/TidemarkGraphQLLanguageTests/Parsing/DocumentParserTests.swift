import TestTraits
import Testing
import TidemarkGraphQLLanguage
import TidemarkModel

/// One example of each production, compared as a whole value.
@Suite(.pooled) struct DocumentParserTests {
    @Test func `a type has a description, interfaces, directives and fields`() throws {
        let text = """
            "A song."
            type Song implements & Node & Media @key(id: 1) {
              "Its name."
              title(short: Boolean = true @a): String! @b
              tags: [[Tag!]]
            }
            """
        let title = FieldDefinition(
            description: StringValue("Its name.", isBlock: false, at: at(3, 3)), name: name("title", 4, 3),
            arguments: [
                InputValueDefinition(
                    description: nil, name: name("short", 4, 9), type: .named(name("Boolean", 4, 16)),
                    defaultValue: Value(.boolean(true), at: at(4, 26)),
                    directives: [Directive(name: name("a", 4, 32), arguments: [], at: at(4, 31))])
            ], type: .nonNull(.named(name("String", 4, 36))),
            directives: [Directive(name: name("b", 4, 45), arguments: [], at: at(4, 44))])
        let tags = FieldDefinition(
            description: nil, name: name("tags", 5, 3), arguments: [],
            type: .list(.list(.nonNull(.named(name("Tag", 5, 11))), at(5, 10)), at(5, 9)), directives: [])
        let key = Directive(
            name: name("key", 2, 38),
            arguments: [NamedValue(name: name("id", 2, 42), value: Value(.int("1"), at: at(2, 46)))], at: at(2, 37))
        #expect(
            try parse(text) == [
                .type(
                    TypeDefinition(
                        description: StringValue("A song.", isBlock: false, at: at(1, 1)), name: name("Song", 2, 6),
                        isExtension: false, directives: [key],
                        body: .object(
                            interfaces: [name("Node", 2, 24), name("Media", 2, 31)], fields: [title, tags]),
                        at: at(2, 1)))
            ])
    }

    @Test func `a schema names the types of its operations, an extension may add to it`() throws {
        #expect(
            try parse("schema @a { query: Q mutation: M }\nextend schema { subscription: S }\nextend schema @b") == [
                .schema(
                    SchemaDefinition(
                        description: nil, isExtension: false,
                        directives: [Directive(name: name("a", 1, 9), arguments: [], at: at(1, 8))],
                        roots: [
                            .init(operation: .query, type: name("Q", 1, 20), at: at(1, 13)),
                            .init(operation: .mutation, type: name("M", 1, 32), at: at(1, 22)),
                        ], at: at(1, 1))),
                .schema(
                    SchemaDefinition(
                        description: nil, isExtension: true, directives: [],
                        roots: [.init(operation: .subscription, type: name("S", 2, 31), at: at(2, 17))], at: at(2, 1))),
                .schema(
                    SchemaDefinition(
                        description: nil, isExtension: true,
                        directives: [Directive(name: name("b", 3, 16), arguments: [], at: at(3, 15))], roots: [],
                        at: at(3, 1))),
            ])
    }

    @Test func `scalars, unions, enums, inputs and interfaces have their own bodies`() throws {
        #expect(try bodies("scalar S extend scalar S @a") == [.scalar, .scalar])
        #expect(
            try bodies("union U\nunion U = A\nunion U = | A | B") == [
                .union(members: []), .union(members: [name("A", 2, 11)]),
                .union(members: [name("A", 3, 13), name("B", 3, 17)]),
            ])
        #expect(
            try bodies("enum E enum E { A, B @a }") == [
                .enumeration(values: []),
                .enumeration(values: [
                    EnumValueDefinition(description: nil, name: name("A", 1, 17), directives: []),
                    EnumValueDefinition(
                        description: nil, name: name("B", 1, 20),
                        directives: [Directive(name: name("a", 1, 23), arguments: [], at: at(1, 22))]),
                ]),
            ])
        #expect(
            try bodies("input I { \"\"\"b\"\"\" a: A = 1 }") == [
                .input(fields: [
                    InputValueDefinition(
                        description: StringValue("b", isBlock: true, at: at(1, 11)), name: name("a", 1, 19),
                        type: .named(name("A", 1, 22)), defaultValue: Value(.int("1"), at: at(1, 26)), directives: [])
                ])
            ])
        #expect(
            try bodies("interface I implements J { a: A }") == [
                .interface(
                    interfaces: [name("J", 1, 24)],
                    fields: [
                        FieldDefinition(
                            description: nil, name: name("a", 1, 28), arguments: [], type: .named(name("A", 1, 31)),
                            directives: [])
                    ])
            ])
    }

    @Test func `a directive is defined with its arguments and places`() throws {
        #expect(
            try parse("directive @a(b: C) repeatable on | OBJECT | FIELD_DEFINITION directive @d on ENUM") == [
                .directive(
                    DirectiveDefinition(
                        description: nil, name: name("a", 1, 12),
                        arguments: [
                            InputValueDefinition(
                                description: nil, name: name("b", 1, 14), type: .named(name("C", 1, 17)),
                                defaultValue: nil, directives: [])
                        ], isRepeatable: true,
                        locations: [.init(.object, at: at(1, 36)), .init(.fieldDefinition, at: at(1, 45))],
                        at: at(1, 1))),
                .directive(
                    DirectiveDefinition(
                        description: nil, name: name("d", 1, 73), arguments: [], isRepeatable: false,
                        locations: [.init(.enumeration, at: at(1, 78))], at: at(1, 62))),
            ])
    }

    @Test func `values of every kind keep their spelling`() throws {
        let text = #"type A @a(b: [-0 1.50e+9 "x" true false null NAME {} [] {c: 1, c: $}])"#
        #expect(throws: GraphQLError.self) { try parse(text) }
        let definitions = try parse(text.replacing("$", with: "2"))
        guard case .type(let type) = try #require(definitions.first) else { return #expect(Bool(false)) }
        let value = try #require(type.directives.first?.arguments.first?.value)
        let elements: [Value] = [
            Value(.int("-0"), at: at(1, 15)), Value(.float("1.50e+9"), at: at(1, 18)),
            Value(.string(StringValue("x", isBlock: false, at: at(1, 26))), at: at(1, 26)),
            Value(.boolean(true), at: at(1, 30)), Value(.boolean(false), at: at(1, 35)), Value(.null, at: at(1, 41)),
            Value(.enumeration("NAME"), at: at(1, 46)), Value(.object([]), at: at(1, 51)),
            Value(.list([]), at: at(1, 54)),
            Value(
                .object([
                    NamedValue(name: name("c", 1, 58), value: Value(.int("1"), at: at(1, 61))),
                    NamedValue(name: name("c", 1, 64), value: Value(.int("2"), at: at(1, 67))),
                ]), at: at(1, 57)),
        ]
        #expect(value == Value(.list(elements), at: at(1, 14)))
    }

    @Test func `white space, commas, comments and marks may stand anywhere between tokens`() throws {
        let tight = try parse("type A{a:B}")
        let loose = try parse("\u{FEFF},type#x\n\t,A\r\n{,\u{FEFF}a , : #\"\r B,,}\r#end")
        #expect(tight.count == 1 && loose.count == 1)
        guard case .type(let left) = tight[0], case .type(let right) = loose[0] else { return #expect(Bool(false)) }
        #expect(left.name == name("A", 1, 6) && right.name == name("A", 2, 3))
        guard case .object(_, let fields) = right.body else { return #expect(Bool(false)) }
        #expect(fields.map(\.name) == [name("a", 3, 4)] && fields.map(\.type) == [.named(name("B", 4, 2))])
    }

    @Test(arguments: [
        (#""""#, ""), (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"), (#""\u00e9\u20AC""#, "é€"),
        (#""\uD83D\uDE00""#, "😀"), (#""\u{1F600}\u{0}\u{000000041}""#, "😀\u{0}A"), ("\"\u{7F}é\t\"", "\u{7F}é\t"),
        (#"" # , {""#, " # , {"),
    ])
    func `escapes are read as their characters`(written: String, text: String) throws {
        #expect(try description(written) == StringValue(ByteString(text), isBlock: false, at: at(1, 1)))
    }

    @Test(arguments: [
        ("", ""), ("a", "a"), ("  a  ", "  a  "), ("\n", ""), ("\n  a\n    b\n\n  c\n", "a\n  b\n\nc"),
        ("a\n   b\n  c", "a\n b\nc"), ("\n\n  a\n  \n\n", "a"), ("\r\n\ta\r\n\tb\r", "a\nb"),
        ("\n  a\n b", " a\nb"), ("\n  a\n \n  b", "a\n\nb"), ("\n    a\n      \n    b", "a\n  \nb"),
        (#" \""" \n "#, #" """ \n "#), (#"\\""""#, #"\""""#), ("\n\u{A0}a\n b", "\u{A0}a\n b"),
        (" \t \n\t a", "a"),
    ])
    func `a block string loses its common indentation and the blank lines around it`(raw: String, text: String) throws {
        #expect(
            try description("\"\"\"\(raw)\"\"\"") == StringValue(ByteString(text), isBlock: true, at: at(1, 1)))
    }

    @Test func `a description of several lines moves the places after it`() throws {
        guard case .type(let type) = try #require(parse("\"\"\"é\r\n\r \"\"\" type A").first) else {
            return #expect(Bool(false))
        }
        #expect(type.place == at(3, 6) && type.name == name("A", 3, 11))
    }

    private func parse(_ text: String) throws -> [Document.Definition] {
        try DocumentParser.parse(Array(text.utf8)).definitions
    }

    private func bodies(_ text: String) throws -> [TypeDefinition.Body] {
        try parse(text).compactMap { definition in
            guard case .type(let type) = definition else { return nil }
            return type.body
        }
    }

    private func description(_ written: String) throws -> StringValue? {
        guard case .type(let type) = try parse(written + " type A").first else { return nil }
        return type.description
    }

    private func at(_ line: Int, _ column: Int) -> SourcePlace { SourcePlace(line: line, column: column) }

    private func name(_ text: ByteString, _ line: Int, _ column: Int) -> Name { Name(text, at: at(line, column)) }
}
