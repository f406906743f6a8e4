import TidemarkJSON
import TidemarkModel

/// Reads the part of SQL that a rule can say.
struct SQLParser {
    private let tokens: [SQLToken]
    private var index = 0
    /// The open parentheses and negations, at most ``depthMax``.
    var depth = 0

    static let depthMax = 32

    /// The words that end a name, a condition or a list.
    private static let clauses = [
        "FROM", "WHERE", "JOIN", "LEFT", "INNER", "ON", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET",
    ]
    private static let reserved = Set(
        clauses + [
            "SELECT", "DISTINCT", "AS", "OUTER", "BY", "AND", "OR", "NOT", "IN", "IS", "NULL", "LIKE", "BETWEEN",
            "TRUE", "FALSE", "ASC", "DESC", "UNION", "RIGHT", "FULL", "CROSS", "NATURAL", "EXISTS", "CASE", "USING",
        ])

    init(_ text: String) throws(ViewSQLError) { tokens = try SQLLexer.tokens(text) }

    var token: SQLToken { tokens[index] }

    // MARK: Tokens

    /// The next word in upper case, if it may be a keyword.
    var keyword: String? {
        if case .word(let text) = token.kind { text.uppercased() } else { nil }
    }

    mutating func advance() { index = min(index + 1, tokens.count - 1) }

    mutating func take(_ word: String) -> Bool {
        guard keyword == word else { return false }
        advance()
        return true
    }

    mutating func take(symbol: String) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        advance()
        return true
    }

    mutating func expect(_ word: String) throws(ViewSQLError) {
        guard !take(word) else { return }
        throw unexpected(word, among: [word])
    }

    mutating func expect(symbol: String) throws(ViewSQLError) {
        guard !take(symbol: symbol) else { return }
        throw unexpected(symbol)
    }

    /// The error of a token in whose place something else is expected.
    func unexpected(_ wanted: String, among words: [String] = []) -> ViewSQLError {
        var nearest: String?
        if case .word(let text) = token.kind { nearest = NearestName.of(ByteString(text), among: words) }
        return token.error("\(wanted) is expected here, not \(token.text)", nearest: nearest)
    }

    /// Reads a name that is no keyword, or one in quotes.
    mutating func name(_ wanted: String) throws(ViewSQLError) -> SQLColumn.Part {
        defer { advance() }
        switch token.kind {
        case .word(let text) where !SQLParser.reserved.contains(text.uppercased()):
            return SQLColumn.Part(text: text, isBare: true)
        case .name(let text): return SQLColumn.Part(text: text, isBare: false)
        default: throw unexpected(wanted)
        }
    }

    /// Reads the name of a member behind a point, where a keyword is a name, too.
    mutating func memberName() throws(ViewSQLError) -> SQLColumn.Part {
        guard case .word(let text) = token.kind else { return try name("the name of a member") }
        advance()
        return SQLColumn.Part(text: text, isBare: true)
    }

    /// Reads an alias, with or without `AS`.
    private mutating func alias() throws(ViewSQLError) -> String? {
        if take("AS") { return try name("a name").text }
        switch token.kind {
        case .name: return try name("a name").text
        case .word(let text) where !SQLParser.reserved.contains(text.uppercased()):
            // Without AS, a misspelt keyword would be taken for a name.
            if let clause = NearestName.of(ByteString(text), among: SQLParser.clauses) {
                throw token.error("\(text) is no keyword; write AS before a name like this", nearest: clause)
            }
            return try name("a name").text
        default: return nil
        }
    }

    // MARK: The statement

    mutating func query() throws(ViewSQLError) -> SQLQuery {
        guard take("SELECT") else { throw unexpected("SELECT", among: ["SELECT"]) }
        if keyword == "DISTINCT" { throw token.error("a rule keeps every row: use GROUP BY instead of DISTINCT") }
        let items = take(symbol: "*") ? nil : try list { (parser) throws(ViewSQLError) in try parser.item() }
        try expect("FROM")
        var query = SQLQuery(items: items, from: try source())
        if token.kind == .symbol(",") { throw token.error("join further types with JOIN … ON") }
        while let join = try join() { query.joins.append(join) }
        if take("WHERE") { query.condition = try expression() }
        if take("GROUP") {
            try expect("BY")
            query.group = try list { (parser) throws(ViewSQLError) in try parser.column() }
        }
        if take("HAVING") { query.having = try expression() }
        if take("ORDER") {
            try expect("BY")
            query.order = try list { (parser) throws(ViewSQLError) in
                let place = parser.token
                let term = try parser.operand()
                if case .literal = term { throw place.error("order by a column, not by a number or text") }
                if case .parameter = term { throw place.error("order by a column, not by a parameter") }
                let direction = parser.take("DESC") ? "desc" : parser.take("ASC") ? "asc" : nil
                return (term, direction)
            }
        }
        if take("LIMIT") {
            query.limit = try count()
            if take("OFFSET") { query.offset = try count() }
        } else if take("OFFSET") {
            query.offset = try count()
        }
        _ = take(symbol: ";")
        guard token.kind == .end else {
            let words = SQLParser.clauses + ["AND", "OR", "UNION"]
            throw unexpected("the end of the statement", among: words)
        }
        return query
    }

    private mutating func list<Element>(
        _ element: (inout SQLParser) throws(ViewSQLError) -> Element
    ) throws(ViewSQLError) -> [Element] {
        var elements = [try element(&self)]
        while take(symbol: ",") { elements.append(try element(&self)) }
        return elements
    }

    private mutating func item() throws(ViewSQLError) -> SQLItem {
        let place = token
        let value = try operand()
        switch value {
        case .literal, .parameter: throw place.error("a rule selects columns and aggregates, no other values")
        case .column, .call: return SQLItem(value: value, alias: try alias(), place: place)
        }
    }

    private mutating func source() throws(ViewSQLError) -> SQLSource {
        let place = token
        let type = try name("a type of entities").text
        let alias = try alias()
        return SQLSource(type: type, alias: alias == type ? nil : alias, place: place)
    }

    private mutating func join() throws(ViewSQLError) -> SQLJoin? {
        if let word = keyword, ["RIGHT", "FULL", "CROSS", "NATURAL"].contains(word) {
            throw token.error("a rule has JOIN and LEFT JOIN, no \(word) JOIN")
        }
        let isLeft = take("LEFT")
        if isLeft { _ = take("OUTER") }
        let isInner = !isLeft && take("INNER")
        guard take("JOIN") else {
            if isLeft || isInner { throw unexpected("JOIN", among: ["JOIN"]) }
            return nil
        }
        let source = try source()
        if keyword == "USING" { throw token.error("write ON with both columns instead of USING") }
        try expect("ON")
        return SQLJoin(source: source, isLeft: isLeft, condition: try expression())
    }

    private mutating func count() throws(ViewSQLError) -> String {
        guard case .number(let text) = token.kind, text.allSatisfy(\.isNumber) else {
            throw unexpected("a whole number")
        }
        advance()
        return text
    }
}
