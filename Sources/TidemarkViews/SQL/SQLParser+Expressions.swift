import TidemarkJSON
import TidemarkModel

extension SQLParser {
    private static let functions = ["count", "sum", "avg", "min", "max"]

    // MARK: Conditions

    mutating func expression() throws(ViewSQLError) -> SQLExpression {
        var parts = [try conjunction()]
        while take("OR") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction() throws(ViewSQLError) -> SQLExpression {
        var parts = [try negation()]
        while take("AND") { parts.append(try negation()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func negation() throws(ViewSQLError) -> SQLExpression {
        let place = token
        depth += 1
        defer { depth -= 1 }
        guard depth <= SQLParser.depthMax else {
            throw place.error("conditions may be inside each other \(SQLParser.depthMax) deep")
        }
        if take("NOT") { return .not(try negation()) }
        if keyword == "EXISTS" { throw place.error("write a rule in JSON for EXISTS: a join of the kind exists") }
        if take(symbol: "(") {
            let inner = try expression()
            try expect(symbol: ")")
            return inner
        }
        return try test()
    }

    private mutating func test() throws(ViewSQLError) -> SQLExpression {
        let place = token
        let left = try operand()
        func made(_ test: SQLTest.Operator, _ right: SQLOperand) -> SQLExpression {
            .test(SQLTest(left: left, test: test, right: right, place: place))
        }
        if take("IS") {
            let isNot = take("NOT")
            try expect("NULL")
            return made(isNot ? .isNotNull : .isNull, .literal(.null))
        }
        let isNot = take("NOT")
        if take("IN") {
            let list = try members()
            return made(isNot ? .isNotIn : .isIn, list)
        }
        if take("LIKE") {
            let pattern = token
            guard case .string(let text) = pattern.kind else { throw unexpected("a text such as 'abc%'") }
            advance()
            guard text.last == "%", !text.dropLast().contains(where: { $0 == "%" || $0 == "_" }) else {
                throw pattern.error("a rule compares beginnings alone: write LIKE 'abc%', or =")
            }
            return made(isNot ? .beginsNot : .begins, .literal(.string(String(text.dropLast()))))
        }
        if take("BETWEEN") {
            let low = try operand()
            try expect("AND")
            let high = try operand()
            let both = SQLExpression.all([made(.greaterOrEqual, low), made(.lessOrEqual, high)])
            return isNot ? .not(both) : both
        }
        if isNot { throw unexpected("IN, LIKE or BETWEEN", among: ["IN", "LIKE", "BETWEEN"]) }
        let signs: [(String, SQLTest.Operator)] = [
            ("=", .equal), ("<>", .unequal), ("!=", .unequal), ("<=", .lessOrEqual), (">=", .greaterOrEqual),
            ("<", .less), (">", .greater),
        ]
        for (sign, test) in signs where take(symbol: sign) {
            if test == .equal, take("ANY") {
                try expect(symbol: "(")
                let array = SQLOperand.column(try column())
                try expect(symbol: ")")
                return made(.isIn, array)
            }
            return made(test, try operand())
        }
        // A column alone holds where it is true.
        if case .column = left { return made(.equal, .literal(.bool(true))) }
        throw unexpected("a comparison", among: ["IS", "IN", "LIKE", "BETWEEN", "NOT"])
    }

    /// The right side of `IN`: literals in parentheses, or a parameter with an array.
    private mutating func members() throws(ViewSQLError) -> SQLOperand {
        if case .parameter(let name) = token.kind {
            advance()
            return .parameter(name)
        }
        try expect(symbol: "(")
        var literals: [JSONValue] = []
        repeat {
            let place = token
            switch try operand() {
            case .literal(let value): literals.append(value)
            case .parameter(let name) where literals.isEmpty && token.kind == .symbol(")"):
                advance()
                return .parameter(name)
            case .parameter: throw place.error("IN takes literals, or one parameter with an array")
            case .column, .call: throw place.error("IN takes literals or a parameter; use = ANY(column) for an array")
            }
        } while take(symbol: ",")
        try expect(symbol: ")")
        return .literal(.array(literals))
    }

    // MARK: Values

    mutating func operand() throws(ViewSQLError) -> SQLOperand {
        let place = token
        switch token.kind {
        case .string(let text):
            advance()
            return .literal(.string(text))
        case .number(let text):
            advance()
            return .literal(try SQLParser.number(text, place))
        case .symbol("-"):
            advance()
            guard case .number(let text) = token.kind else { throw unexpected("a number") }
            advance()
            return .literal(try SQLParser.number("-" + text, place))
        case .parameter(let name):
            advance()
            return .parameter(name)
        case .word:
            if take("TRUE") { return .literal(.bool(true)) }
            if take("FALSE") { return .literal(.bool(false)) }
            if take("NULL") { return .literal(.null) }
            let column = try column()
            guard take(symbol: "(") else { return .column(column) }
            return .call(try call(column))
        default: return .column(try column())
        }
    }

    private static func number(_ text: String, _ place: SQLToken) throws(ViewSQLError) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: text.utf8)
        } catch {
            throw place.error("\(text) is no number as JSON writes it")
        }
    }

    mutating func column() throws(ViewSQLError) -> SQLColumn {
        let place = token
        var parts = [try name("a column")]
        while true {
            if take(symbol: ".") {
                parts.append(try memberName())
            } else if take(symbol: "[") {
                guard case .number(let text) = token.kind, text.allSatisfy(\.isNumber) else {
                    throw unexpected("the index of an element, from 0")
                }
                advance()
                parts.append(SQLColumn.Part(text: text, isBare: false))
                try expect(symbol: "]")
            } else {
                return SQLColumn(parts: parts, place: place)
            }
        }
    }

    /// Reads the rest of a call, behind its parenthesis.
    private mutating func call(_ name: SQLColumn) throws(ViewSQLError) -> SQLCall {
        let function = name.single?.lowercased() ?? ""
        guard SQLParser.functions.contains(function) else {
            throw name.place.error(
                "\(name.parts.map(\.text).joined(separator: ".")) is no aggregate of a rule",
                nearest: NearestName.of(ByteString(function), among: SQLParser.functions)?.uppercased())
        }
        var call = SQLCall(function: function, place: name.place)
        call.isDistinct = take("DISTINCT")
        if call.isDistinct, function != "count" { throw name.place.error("a rule has DISTINCT in COUNT alone") }
        if token.kind == .symbol("*"), function == "count", !call.isDistinct {
            advance()
        } else {
            call.argument = try column()
        }
        try expect(symbol: ")")
        if take("FILTER") {
            try expect(symbol: "(")
            try expect("WHERE")
            call.filter = try expression()
            try expect(symbol: ")")
        }
        return call
    }
}
