import TidemarkModel

/// Prints a document as text that parses to the same document.
///
/// - Source: Protocol/graphql.md, documents.
package struct DocumentPrinter {
    /// The layouts of printed documents.
    package enum Style: Hashable, Sendable, CaseIterable {
        /// One selection on each line, indented by two spaces. It is for people, and never changes for one document.
        case canonical
        /// The shortest text, for the wire.
        case minified
    }

    let style: Style
    private(set) var bytes: [UInt8] = []
    /// The number of open selection sets.
    private var depth = 0

    init(_ style: Style) {
        self.style = style
    }

    /// Prints a whole document. The canonical text ends with a line end.
    ///
    /// - Complexity: O(document).
    package static func text(of document: ExecutableDocument, style: Style = .canonical) -> [UInt8] {
        var printer = DocumentPrinter(style)
        for (index, definition) in document.definitions.enumerated() {
            if index > 0 { printer.lineEnd() }
            printer.write(definition)
            printer.lineEnd()
        }
        return printer.bytes
    }

    // MARK: Definitions

    private mutating func write(_ definition: ExecutableDocument.Definition) {
        switch definition {
        case .operation(let operation): write(operation)
        case .fragment(let fragment):
            word("fragment")
            space()
            word(fragment.name.text)
            space()
            word("on")
            space()
            word(fragment.typeCondition.text)
            write(fragment.directives)
            write(fragment.selections)
        }
    }

    private mutating func write(_ operation: OperationDefinition) {
        let isShort =
            operation.kind == .query && operation.name == nil && operation.variables.isEmpty
            && operation.directives.isEmpty
        guard !isShort else { return write(operation.selections, isFirst: true) }
        word(ByteString(operation.kind.rawValue))
        if let name = operation.name {
            space()
            word(name.text)
        } else if !operation.variables.isEmpty {
            space()
        }
        list(operation.variables, "(", ")") { printer, variable in
            printer.sign("$")
            printer.word(variable.name.text)
            printer.colon()
            printer.write(variable.type)
            if let value = variable.defaultValue {
                printer.space()
                printer.sign("=")
                printer.space()
                printer.write(value)
            }
            printer.write(variable.directives)
        }
        write(operation.directives)
        write(operation.selections)
    }

    // MARK: Selections

    private mutating func write(_ selections: [Selection], isFirst: Bool = false) {
        if !isFirst { space() }
        sign("{")
        depth += 1
        for selection in selections {
            lineEnd()
            write(selection)
        }
        depth -= 1
        lineEnd()
        sign("}")
    }

    private mutating func write(_ selection: Selection) {
        switch selection {
        case .field(let field):
            if let alias = field.alias {
                word(alias.text)
                colon()
            }
            word(field.name.text)
            list(field.arguments, "(", ")") { $0.write($1) }
            write(field.directives)
            if !field.selections.isEmpty { write(field.selections) }
        case .spread(let spread):
            sign("...")
            word(spread.name.text)
            write(spread.directives)
        case .inline(let fragment):
            sign("...")
            if let condition = fragment.typeCondition {
                space()
                word("on")
                space()
                word(condition.text)
            }
            write(fragment.directives)
            write(fragment.selections)
        }
    }

    private mutating func write(_ directives: [Directive]) {
        for directive in directives {
            space()
            sign("@")
            word(directive.name.text)
            list(directive.arguments, "(", ")") { $0.write($1) }
        }
    }

    mutating func write(_ named: NamedValue) {
        word(named.name.text)
        colon()
        write(named.value)
    }

    private mutating func write(_ type: TypeReference) {
        switch type {
        case .named(let name): word(name.text)
        case .list(let element, _):
            sign("[")
            write(element)
            sign("]")
        case .nonNull(let inner):
            write(inner)
            sign("!")
        }
    }

    // MARK: Tokens

    /// Writes elements in brackets; nothing if there are none and `isKept` is false.
    mutating func list<Element>(
        _ elements: [Element], _ opening: StaticString, _ closing: StaticString, isKept: Bool = false,
        _ write: (inout DocumentPrinter, Element) -> Void
    ) {
        guard isKept || !elements.isEmpty else { return }
        sign(opening)
        for (index, element) in elements.enumerated() {
            if index > 0, style == .canonical { bytes += [UInt8(ascii: ","), UInt8(ascii: " ")] }
            write(&self, element)
        }
        sign(closing)
    }

    /// Writes a name, number or string, preceded by a space if it would otherwise merge with the token before.
    mutating func word(_ text: ByteString) {
        if let last = bytes.last, let first = text.bytes.first, DocumentPrinter.runTogether(last, first) {
            bytes.append(UInt8(ascii: " "))
        }
        bytes += text.bytes
    }

    private mutating func sign(_ text: StaticString) {
        if text.utf8CodeUnitCount == 3, let last = bytes.last, Lexer.isDigit(last) { bytes.append(UInt8(ascii: " ")) }
        text.withUTF8Buffer { bytes += $0 }
    }

    private mutating func colon() {
        sign(":")
        space()
    }

    private mutating func space() {
        if style == .canonical { bytes.append(UInt8(ascii: " ")) }
    }

    private mutating func lineEnd() {
        guard style == .canonical else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes += repeatElement(UInt8(ascii: " "), count: depth * 2)
    }

    private static func runTogether(_ last: UInt8, _ first: UInt8) -> Bool {
        if Lexer.isNamePart(last) { return Lexer.isNamePart(first) }
        return last == UInt8(ascii: "\"") && first == last
    }
}
