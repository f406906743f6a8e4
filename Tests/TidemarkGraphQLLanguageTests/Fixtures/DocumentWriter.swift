import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkTesting

/// Writes a document in a random layout and records the place of every part in it.
///
/// It counts lines and columns by itself, from the text that it has written, so that its places are an independent
/// check.
struct DocumentWriter {
    private var generator: SeededGenerator
    private(set) var text = ""
    private var line = 1
    private var column = 1
    /// The last scalar of the last token; nil when a separator follows it.
    private var last: Unicode.Scalar?

    init(_ generator: SeededGenerator) {
        self.generator = generator
        // A byte order mark at the beginning has no column.
        if self.generator.chance(200) { emit("\u{FEFF}") }
    }

    mutating func write(_ document: inout Document) {
        for index in document.definitions.indices {
            switch document.definitions[index] {
            case .schema(var schema):
                write(&schema)
                document.definitions[index] = .schema(schema)
            case .type(var type):
                write(&type)
                document.definitions[index] = .type(type)
            case .directive(var directive):
                write(&directive)
                document.definitions[index] = .directive(directive)
            }
        }
        gap()
    }

    // MARK: Definitions

    private mutating func write(_ schema: inout SchemaDefinition) {
        write(&schema.description)
        schema.place = token(schema.isExtension ? "extend" : "schema")
        if schema.isExtension { token("schema") }
        write(&schema.directives)
        guard !schema.roots.isEmpty else { return }
        token("{")
        for index in schema.roots.indices {
            schema.roots[index].place = token(schema.roots[index].operation.rawValue)
            token(":")
            write(&schema.roots[index].type)
        }
        token("}")
    }

    private mutating func write(_ type: inout TypeDefinition) {
        write(&type.description)
        type.place = token(type.isExtension ? "extend" : type.body.keyword)
        if type.isExtension { token(type.body.keyword) }
        write(&type.name)
        switch type.body {
        case .scalar: write(&type.directives)
        case .object(var interfaces, var fields):
            write(&interfaces, opening: "implements", between: "&")
            write(&type.directives)
            write(&fields)
            type.body = .object(interfaces: interfaces, fields: fields)
        case .interface(var interfaces, var fields):
            write(&interfaces, opening: "implements", between: "&")
            write(&type.directives)
            write(&fields)
            type.body = .interface(interfaces: interfaces, fields: fields)
        case .union(var members):
            write(&type.directives)
            write(&members, opening: "=", between: "|")
            type.body = .union(members: members)
        case .enumeration(var values):
            write(&type.directives)
            if !values.isEmpty { token("{") }
            for index in values.indices {
                write(&values[index].description)
                write(&values[index].name)
                write(&values[index].directives)
            }
            if !values.isEmpty { token("}") }
            type.body = .enumeration(values: values)
        case .input(var fields):
            write(&type.directives)
            write(&fields, "{", "}")
            type.body = .input(fields: fields)
        }
    }

    private mutating func write(_ directive: inout DirectiveDefinition) {
        write(&directive.description)
        directive.place = token("directive")
        token("@")
        write(&directive.name)
        write(&directive.arguments, "(", ")")
        if directive.isRepeatable { token("repeatable") }
        token("on")
        if generator.chance(300) { token("|") }
        for index in directive.locations.indices {
            if index > 0 { token("|") }
            directive.locations[index].place = token(directive.locations[index].location.rawValue)
        }
    }

    private mutating func write(_ names: inout [Name], opening: String, between sign: String) {
        guard !names.isEmpty else { return }
        token(opening)
        if generator.chance(300) { token(sign) }
        for index in names.indices {
            if index > 0 { token(sign) }
            write(&names[index])
        }
    }

    private mutating func write(_ fields: inout [FieldDefinition]) {
        guard !fields.isEmpty else { return }
        token("{")
        for index in fields.indices {
            write(&fields[index].description)
            write(&fields[index].name)
            write(&fields[index].arguments, "(", ")")
            token(":")
            write(&fields[index].type)
            write(&fields[index].directives)
        }
        token("}")
    }

    private mutating func write(_ inputs: inout [InputValueDefinition], _ opening: String, _ closing: String) {
        guard !inputs.isEmpty else { return }
        token(opening)
        for index in inputs.indices {
            write(&inputs[index].description)
            write(&inputs[index].name)
            token(":")
            write(&inputs[index].type)
            if var value = inputs[index].defaultValue {
                token("=")
                write(&value)
                inputs[index].defaultValue = value
            }
            write(&inputs[index].directives)
        }
        token(closing)
    }

    // MARK: Parts

    private mutating func write(_ type: inout TypeReference) {
        switch type {
        case .named(var name):
            write(&name)
            type = .named(name)
        case .list(var element, _):
            let place = token("[")
            write(&element)
            token("]")
            type = .list(element, place)
        case .nonNull(var inner):
            write(&inner)
            token("!")
            type = .nonNull(inner)
        }
    }

    private mutating func write(_ directives: inout [Directive]) {
        for index in directives.indices {
            directives[index].place = token("@")
            write(&directives[index].name)
            guard !directives[index].arguments.isEmpty else { continue }
            token("(")
            write(&directives[index].arguments)
            token(")")
        }
    }

    private mutating func write(_ values: inout [NamedValue]) {
        for index in values.indices {
            write(&values[index].name)
            token(":")
            write(&values[index].value)
        }
    }

    private mutating func write(_ value: inout Value) {
        switch value.kind {
        case .int(let digits), .float(let digits): value.place = token(digits.description)
        case .enumeration(let name): value.place = token(name.description)
        case .boolean(let isTrue): value.place = token(isTrue ? "true" : "false")
        case .null: value.place = token("null")
        case .variable(let name):
            value.place = token("$")
            token(name.description)
        case .string(var string):
            write(&string)
            value = Value(.string(string), at: string.place)
        case .list(var elements):
            let place = token("[")
            for index in elements.indices { write(&elements[index]) }
            token("]")
            value = Value(.list(elements), at: place)
        case .object(var fields):
            let place = token("{")
            write(&fields)
            token("}")
            value = Value(.object(fields), at: place)
        }
    }

    private mutating func write(_ name: inout Name) { name.place = token(name.text.description) }

    private mutating func write(_ string: inout StringValue?) {
        guard var value = string else { return }
        write(&value)
        string = value
    }

    private mutating func write(_ string: inout StringValue) {
        string.place = token(string.isBlock ? block(string.text.description) : quoted(string.text.description))
    }

    // MARK: Strings

    private mutating func quoted(_ text: String) -> String {
        var written = "\""
        for scalar in text.unicodeScalars {
            let mustEscape = scalar == "\"" || scalar == "\\" || (scalar.value < 0x20 && scalar != "\t")
            if mustEscape || generator.chance(200) {
                written += escape(scalar)
            } else {
                written.unicodeScalars.append(scalar)
            }
        }
        return written + "\""
    }

    private mutating func escape(_ scalar: Unicode.Scalar) -> String {
        let short: [Unicode.Scalar: String] = [
            "\"": "\\\"", "\\": "\\\\", "/": "\\/", "\u{8}": "\\b", "\u{C}": "\\f", "\n": "\\n", "\r": "\\r",
            "\t": "\\t",
        ]
        if let short = short[scalar], generator.chance(500) { return short }
        if generator.chance(400) { return "\\u{" + hex(scalar.value, least: 1 + generator.below(6)) + "}" }
        return String(scalar).utf16.map { "\\u" + hex(UInt32($0), least: 4) }.joined()
    }

    private mutating func hex(_ value: UInt32, least: Int) -> String {
        let digits = String(value, radix: 16, uppercase: generator.chance(500))
        return String(repeating: "0", count: max(0, least - digits.count)) + digits
    }

    private mutating func block(_ text: String) -> String {
        let raw = text.replacing("\"\"\"", with: "\\\"\"\"")
        let end = generator.pick(["\n", "\r\n", "\r"])
        if !text.contains("\n"), let last = text.last, last != "\"", last != "\\", generator.chance(400) {
            return "\"\"\"" + raw + "\"\"\""
        }
        let indent = String(repeating: generator.pick([" ", "\t"]), count: generator.below(4))
        var written = "\"\"\"" + generator.pick(["", " ", "\t "]) + end
        for line in raw.split(separator: "\n", omittingEmptySubsequences: false) {
            written += line.isEmpty ? String(indent.prefix(generator.below(4))) : indent + line
            written += end
        }
        return written + generator.pick(["", indent]) + "\"\"\""
    }

    // MARK: Layout

    /// Writes a token, with optional or necessary separators before it.
    ///
    /// - Returns: The token's place.
    @discardableResult
    private mutating func token(_ token: String) -> SourcePlace {
        if let last, let first = token.unicodeScalars.first, touches(last, first) {
            emit(generator.pick([" ", ",", "\n", "\t"]))
        }
        if generator.chance(600) { gap() }
        let place = SourcePlace(line: line, column: column)
        emit(token)
        last = token.unicodeScalars.last
        return place
    }

    private func touches(_ left: Unicode.Scalar, _ right: Unicode.Scalar) -> Bool {
        let isWord: (Unicode.Scalar) -> Bool = { $0.properties.isAlphabetic || $0 == "_" || "0"..."9" ~= $0 }
        return (isWord(left) && (isWord(right) || right == "-")) || (left == "\"" && right == "\"")
    }

    private mutating func gap() {
        for _ in 0..<(1 + generator.below(3)) {
            emit(generator.pick([" ", "  ", "\t", ",", "\n", "\r\n", "\r", "\u{FEFF}", "# é \"😀\" { \t\n", "#\r\n"]))
        }
    }

    /// Writes a part of the text. A carriage return and a line feed are one line end only when they are written
    /// together here; a line feed is never written right after a lone carriage return.
    private mutating func emit(_ part: String) {
        let scalars = Array(part.unicodeScalars)
        if text.unicodeScalars.last == "\r", scalars.first == "\n" { emit(" ") }
        for (index, scalar) in scalars.enumerated() {
            let isPair = scalar == "\r" && index + 1 < scalars.count && scalars[index + 1] == "\n"
            let isMark = scalar == "\u{FEFF}" && text.isEmpty
            text.unicodeScalars.append(scalar)
            if isPair || isMark {
                continue
            } else if scalar == "\n" || scalar == "\r" {
                line += 1
                column = 1
            } else {
                column += 1
            }
        }
    }
}
