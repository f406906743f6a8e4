import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkTesting

/// Random documents of every production, without places; a writer adds the places.
struct DocumentGenerator {
    var generator: SeededGenerator

    static let nowhere = SourcePlace(line: 0, column: 0)

    mutating func document() -> Document {
        Document(definitions: list(1, 6) { $0.definition() })
    }

    private mutating func definition() -> Document.Definition {
        switch generator.below(8) {
        case 0: .schema(schema())
        case 1: .directive(directiveDefinition())
        default: .type(type())
        }
    }

    private mutating func schema() -> SchemaDefinition {
        let isExtension = generator.chance(500)
        let directives = directives()
        let roots = list(isExtension && !directives.isEmpty ? 0 : 1, 3) {
            SchemaDefinition.Root(
                operation: $0.generator.pick(OperationKind.allCases), type: $0.name(), at: DocumentGenerator.nowhere)
        }
        return SchemaDefinition(
            description: isExtension ? nil : description(), isExtension: isExtension, directives: directives,
            roots: roots, at: DocumentGenerator.nowhere)
    }

    private mutating func directiveDefinition() -> DirectiveDefinition {
        DirectiveDefinition(
            description: description(), name: name(), arguments: inputs(0), isRepeatable: generator.chance(500),
            locations: list(1, 3) {
                DirectiveDefinition.Location(
                    $0.generator.pick(DirectiveLocation.allCases), at: DocumentGenerator.nowhere)
            }, at: DocumentGenerator.nowhere)
    }

    private mutating func type() -> TypeDefinition {
        let isExtension = generator.chance(300)
        var directives = directives()
        let body: TypeDefinition.Body
        switch generator.below(6) {
        case 0: body = .scalar
        case 1: body = .object(interfaces: list(0, 2) { $0.name() }, fields: fields())
        case 2: body = .interface(interfaces: list(0, 2) { $0.name() }, fields: fields())
        case 3: body = .union(members: list(0, 3) { $0.name() })
        case 4:
            body = .enumeration(
                values: list(0, 3) {
                    EnumValueDefinition(
                        description: $0.description(), name: $0.name(isEnumeration: true), directives: $0.directives())
                })
        default: body = .input(fields: inputs(0))
        }
        // An extension always adds something.
        if isExtension, directives.isEmpty { directives = list(1, 2) { $0.directive() } }
        return TypeDefinition(
            description: isExtension ? nil : description(), name: name(), isExtension: isExtension,
            directives: directives, body: body, at: DocumentGenerator.nowhere)
    }

    private mutating func fields() -> [FieldDefinition] {
        list(0, 3) {
            FieldDefinition(
                description: $0.description(), name: $0.name(), arguments: $0.inputs(0), type: $0.reference(),
                directives: $0.directives())
        }
    }

    private mutating func inputs(_ least: Int) -> [InputValueDefinition] {
        list(least, 2) {
            InputValueDefinition(
                description: $0.description(), name: $0.name(), type: $0.reference(),
                defaultValue: $0.generator.chance(400) ? $0.value() : nil, directives: $0.directives())
        }
    }

    private mutating func reference(depth: Int = 0) -> TypeReference {
        var type: TypeReference = .named(name())
        if depth < 4, generator.chance(300) { type = .list(reference(depth: depth + 1), DocumentGenerator.nowhere) }
        return generator.chance(300) ? .nonNull(type) : type
    }

    private mutating func directives() -> [Directive] {
        generator.chance(300) ? list(1, 2) { $0.directive() } : []
    }

    private mutating func directive() -> Directive {
        Directive(
            name: name(), arguments: list(0, 2) { NamedValue(name: $0.name(), value: $0.value()) },
            at: DocumentGenerator.nowhere)
    }

    private mutating func value(depth: Int = 0) -> Value {
        Value(kind(depth: depth), at: DocumentGenerator.nowhere)
    }

    private mutating func kind(depth: Int) -> Value.Kind {
        switch generator.below(depth < 4 ? 8 : 6) {
        case 0: .int(generator.pick(["0", "-0", "7", "-12", "2147483648", "123456789012345678901234567890"]))
        case 1: .float(generator.pick(["0.0", "-1.50", "1e9", "6E-3", "0.5e+00", "12e1"]))
        case 2: .string(string())
        case 3: .boolean(generator.chance(500))
        case 4: .null
        case 5: .enumeration(name(isEnumeration: true).text)
        case 6: .list(list(0, 3) { $0.value(depth: depth + 1) })
        default: .object(list(0, 3) { NamedValue(name: $0.name(), value: $0.value(depth: depth + 1)) })
        }
    }

    private mutating func description() -> StringValue? { generator.chance(250) ? string() : nil }

    mutating func string() -> StringValue {
        let isBlock = generator.chance(500)
        return StringValue(
            ByteString(isBlock ? blockText() : plainText()), isBlock: isBlock, at: DocumentGenerator.nowhere)
    }

    private mutating func plainText() -> String {
        let pool = [
            "a", "B", "0", " ", "\t", "\n", "\r", "\"", "\\", "/", "\u{0}", "\u{8}", "\u{C}", "\u{7F}", "é", "e\u{301}",
            "\u{FEFF}", "€", "\u{FFFF}", "😀", "\u{10FFFF}", "#", "{", "u",
        ]
        return list(0, 8) { $0.generator.pick(pool) }.joined()
    }

    /// Lines whose first and last one are visible, and one of which begins without indentation.
    private mutating func blockText() -> String {
        let pool = ["a", "B", "0", " ", "\t", "\"", "\"\"\"", "\\", "é", "e\u{301}", "€", "😀", "#", "\u{7F}", "\\n"]
        var lines = list(0, 5) { generator in
            generator.generator.chance(250)
                ? ""
                : generator.list(0, 2) { $0.generator.pick([" ", "\t"]) }.joined()
                    + "x" + generator.list(0, 6) { $0.generator.pick(pool) }.joined()
        }
        while let last = lines.last, last.isEmpty { lines.removeLast() }
        lines = Array(lines.drop { $0.isEmpty })
        if !lines.isEmpty {
            let shown = lines.indices.filter { !lines[$0].isEmpty }
            let chosen = generator.pick(shown)
            lines[chosen] = String(lines[chosen].drop { $0 == " " || $0 == "\t" })
        }
        return lines.joined(separator: "\n")
    }

    private mutating func name(isEnumeration: Bool = false) -> Name {
        let names: [ByteString] = [
            "a", "_", "__x", "Song", "type", "implements", "extend", "on", "repeatable", "query", "fragment", "A1_b",
            "schema", "input", "directive", "interface", "union", "scalar", "enum", "mutation",
        ]
        let others: [ByteString] = ["true", "false", "null"]
        return Name(generator.pick(isEnumeration ? names : names + others), at: DocumentGenerator.nowhere)
    }

    private mutating func list<Element>(
        _ least: Int, _ most: Int, _ element: (inout DocumentGenerator) -> Element
    ) -> [Element] {
        var elements: [Element] = []
        for _ in 0..<(least + generator.below(most - least + 1)) { elements.append(element(&self)) }
        return elements
    }
}
