import TidemarkJSON

extension SQLRule {
    /// Returns the path of an operand.
    typealias PathOf = (SQLOperand, SQLToken) throws(ViewSQLError) -> String

    /// The predicate of a condition, which holds where SQL says true.
    ///
    /// A comparison of SQL with null is neither true nor false. So negations are moved to the single tests, and each
    /// test holds for values alone that are there and not null.
    func predicate(
        _ expression: SQLExpression, isNegated: Bool = false, _ path: PathOf
    ) throws(ViewSQLError) -> JSONValue {
        switch expression {
        case .not(let inner): return try predicate(inner, isNegated: !isNegated, path)
        case .all(let parts), .any(let parts):
            var isAll = isNegated
            if case .all = expression { isAll = !isNegated }
            var members: [JSONValue] = []
            for part in parts { members.append(try predicate(part, isNegated: isNegated, path)) }
            return .object([JSONMember(isAll ? "all" : "any", .array(members))])
        case .test(let test): return try self.test(test, isNegated: isNegated, path)
        }
    }

    private func test(_ written: SQLTest, isNegated: Bool, _ path: PathOf) throws(ViewSQLError) -> JSONValue {
        var test = written
        if isNegated { test.test = test.test.negated }
        // The column is on the left.
        if !SQLRule.isColumn(test.left), SQLRule.isColumn(test.right) {
            (test.left, test.right, test.test) = (test.right, test.left, test.test.mirrored)
        }
        let left = JSONMember("path", .string(try path(test.left, test.place)))
        func holds(_ members: JSONMember...) -> JSONValue { .object([left] + members) }
        let isPresent = holds(JSONMember("exists", true), JSONMember("ne", .null))
        switch test.test {
        case .isNull:
            return .object([
                JSONMember("any", .array([holds(JSONMember("exists", false)), holds(JSONMember("eq", .null))]))
            ])
        case .isNotNull: return isPresent
        case .isNotIn, .beginsNot:
            let inner = holds(JSONMember(test.test.negated.rawValue, try operand(test.right, test.place, path)))
            return .object([JSONMember("all", .array([.object([JSONMember("not", inner)]), isPresent]))])
        case .unequal:
            var parts = [holds(JSONMember("ne", try operand(test.right, test.place, path))), isPresent]
            if SQLRule.isColumn(test.right) {
                let right = JSONMember("path", .string(try path(test.right, test.place)))
                parts.append(.object([right, JSONMember("exists", true), JSONMember("ne", .null)]))
            }
            return .object([JSONMember("all", .array(parts))])
        case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .begins:
            let member = JSONMember(test.test.rawValue, try operand(test.right, test.place, path))
            // Two values that are both null are equal in a rule.
            if case .literal = test.right { return holds(member) }
            return holds(member, JSONMember("ne", .null))
        }
    }

    private static func isColumn(_ operand: SQLOperand) -> Bool {
        switch operand {
        case .column, .call: true
        case .literal, .parameter: false
        }
    }

    private func operand(_ operand: SQLOperand, _ place: SQLToken, _ path: PathOf) throws(ViewSQLError) -> JSONValue {
        switch operand {
        case .literal(.null): throw place.error("nothing equals NULL: write IS NULL or IS NOT NULL")
        case .literal(.array(let elements)) where elements.contains(.null):
            throw place.error("nothing equals NULL: leave it out of IN")
        case .literal(let value): return value
        case .parameter(let name): return .object([JSONMember("param", .string(name))])
        case .column, .call: return .object([JSONMember("path", .string(try path(operand, place)))])
        }
    }
}

extension ViewRule {
    /// Creates the rule that a statement of SQL says.
    ///
    /// - Parameter sql: One `SELECT` with joins, conditions, groups, an order and a window.
    /// - Throws: ``ViewSQLError`` for the first thing that is wrong or that no rule can say.
    /// - Source: Protocol/views.md, SQL.
    package init(sql: String, limits: ViewLimits = ViewLimits()) throws(ViewSQLError) {
        guard sql.utf8.count <= limits.ruleByteCountMax else {
            throw ViewSQLError(
                line: 1, column: 1, what: "the statement is longer than \(limits.ruleByteCountMax) bytes")
        }
        var parser = try SQLParser(sql)
        let start = parser.token
        var rule = SQLRule(try parser.query())
        let json = Array(try rule.rule().text.utf8)
        do throws(ViewRuleError) {
            try self.init(json: json, limits: limits)
        } catch {
            throw start.error("the rule of the statement is refused: \(error.message)")
        }
    }
}
