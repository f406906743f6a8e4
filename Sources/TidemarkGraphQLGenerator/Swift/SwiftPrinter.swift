/// Lays out declarations in lines of at most 120 columns, as `swift format` does.
struct SwiftPrinter {
    static let columnCountMax = 120
    private static let indentation = 4

    private(set) var lines: [String] = []
    private var depth = 0

    /// Returns the text of a file.
    ///
    /// - Complexity: O(text).
    static func text(comments: [String], imports: [String], _ declarations: [SwiftDeclaration]) -> String {
        var printer = SwiftPrinter()
        for comment in comments { printer.wrapped(comment, mark: "//") }
        printer.lines.append("")
        for module in imports { printer.lines.append("import \(module)") }
        for declaration in declarations {
            printer.lines.append("")
            printer.write(declaration)
        }
        return printer.lines.joined(separator: "\n") + "\n"
    }

    // MARK: Declarations

    private mutating func write(_ declarations: [SwiftDeclaration]) {
        var group: Int?
        var hasComments = false
        for declaration in declarations {
            if let group, group != declaration.group || declaration.group > 2 || hasComments { lines.append("") }
            write(declaration)
            group = declaration.group
            if case .property(let property) = declaration {
                hasComments = !property.observer.isEmpty
            } else {
                hasComments = false
            }
        }
    }

    private mutating func write(_ declaration: SwiftDeclaration) {
        switch declaration {
        case .type(let type): write(type)
        case .property(let property): write(property)
        case .function(let function): write(function)
        case .enumerationCase(let comment, let name, let payload):
            document(comment)
            line("case \(SwiftName.escaped(name))\(payload)")
        }
    }

    private mutating func write(_ type: SwiftTypeDeclaration) {
        document(type.comment)
        let conformances = type.conformances.isEmpty ? "" : ": \(type.conformances.joined(separator: ", "))"
        guard !type.members.isEmpty else { return line("\(type.access)\(type.keyword) \(type.name)\(conformances) {}") }
        let start = "\(type.access)\(type.keyword) \(type.name)\(conformances) {"
        if type.isLong { line("// swift-format-ignore") }
        line(start)
        indented { $0.write(type.members) }
        line("}")
    }

    private mutating func write(_ property: SwiftProperty) {
        document(property.comment)
        let attribute = property.attribute.isEmpty ? "" : property.attribute + " "
        let start =
            attribute + property.access + (property.isStatic ? "static " : "") + (property.isConstant ? "let " : "var ")
            + SwiftName.escaped(property.name) + (property.type.map { ": \($0)" } ?? "")
        if let value = property.value { return assign(start, value) }
        if !property.getter.isEmpty, property.setter.isEmpty { return block(start, property.getter) }
        let parts = [("get", property.getter), ("set", property.setter), ("didSet", property.observer)].filter {
            !$0.1.isEmpty
        }
        guard !parts.isEmpty else { return line(start) }
        line(start + " {")
        indented { printer in
            for (word, body) in parts { printer.block(word, body) }
        }
        line("}")
    }

    private mutating func write(_ function: SwiftFunction) {
        document(function.comment)
        let effects = function.effects.isEmpty ? "" : " \(function.effects)"
        let parameters = function.parameters.map(\.text)
        let short = "\(function.access)\(function.name)(\(parameters.joined(separator: ", ")))\(effects)"
        if fits(short + " {") { return block(short, function.body) }
        line("\(function.access)\(function.name)(")
        indented { printer in
            for (index, parameter) in parameters.enumerated() {
                printer.line(parameter + (index + 1 < parameters.count ? "," : ""))
            }
        }
        block(")\(effects)", function.body)
    }

    // MARK: Statements

    /// Writes `start { body }`, on one line if the body is one short statement.
    private mutating func block(_ start: String, _ body: [SwiftStatement]) {
        if body.count == 1, case .expression(let expression) = body[0], let text = expression.line {
            let short = "\(start) { \(text) }"
            if fits(short) { return line(short) }
        }
        if body.count == 1, case .assignment(let target, let value) = body[0], let text = value.line {
            let short = "\(start) { \(target) = \(text) }"
            if fits(short) { return line(short) }
        }
        guard !body.isEmpty else { return line("\(start) {}") }
        line("\(start) {")
        indented { printer in
            for statement in body { printer.write(statement) }
        }
        line("}")
    }

    private mutating func write(_ statement: SwiftStatement) {
        switch statement {
        case .expression(let expression): write(expression, after: "")
        case .assignment(let target, let value): assign(target, value)
        case .branch(let condition, let body): block(condition, body)
        case .choice(let value, let cases):
            line("switch \(value) {")
            for item in cases { line("\(item.pattern): \(item.text)") }
            line("}")
        }
    }

    private mutating func assign(_ target: String, _ value: SwiftExpression) {
        if let text = value.line, !fits("\(target) = \(text)"), case .text = value {
            line("\(target) =")
            return indented { $0.line(text) }
        }
        write(value, after: "\(target) = ")
    }

    private mutating func write(_ expression: SwiftExpression, after start: String) {
        if let text = expression.line, fits(start + text) { return line(start + text) }
        switch expression {
        case .text(let text): line(start + text)
        case .call(let name, let arguments):
            line("\(start)\(name)(")
            indented { printer in
                for (index, argument) in arguments.enumerated() {
                    printer.line(argument + (index + 1 < arguments.count ? "," : ")"))
                }
            }
        case .list(let elements):
            line("\(start)[")
            indented { printer in
                for element in elements { printer.line(element + ",") }
            }
            line("]")
        case .lines(let text): literal(text, after: start)
        }
    }

    /// Writes a string literal over several lines, with the delimiters that its backslashes and quotes require.
    private mutating func literal(_ text: String, after start: String) {
        let mark = text.contains("\\") || text.contains("\"\"\"") ? "#" : ""
        line("\(start)\(mark)\"\"\"")
        indented { printer in
            for part in text.split(separator: "\n", omittingEmptySubsequences: false) { printer.line(String(part)) }
            printer.line("\"\"\"\(mark)")
        }
    }

    // MARK: Lines

    private func fits(_ text: String) -> Bool {
        depth * SwiftPrinter.indentation + text.count <= SwiftPrinter.columnCountMax
    }

    private mutating func line(_ text: String) {
        lines.append(text.isEmpty ? "" : String(repeating: " ", count: depth * SwiftPrinter.indentation) + text)
    }

    private mutating func indented(_ body: (inout SwiftPrinter) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }

    private mutating func document(_ comment: String?) {
        guard let comment, !comment.isEmpty else { return }
        wrapped(comment, mark: "///")
    }

    /// Writes a text as comment lines, broken at spaces.
    private mutating func wrapped(_ text: String, mark: String) {
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var current = mark
            for word in paragraph.split(whereSeparator: \.isWhitespace) {
                if current.count > mark.count, !fits("\(current) \(word)") {
                    line(current)
                    current = mark
                }
                current += " \(word)"
            }
            line(current)
        }
    }
}
