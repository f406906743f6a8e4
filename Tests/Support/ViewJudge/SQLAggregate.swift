import TidemarkReferenceModel

/// One aggregate as expressions over the rows of a group.
struct SQLAggregate {
    /// The value, with averages as `{"$": [dividend, divisor]}`, which is exact.
    let shown: String
    /// The value as a number or other scalar that can be compared.
    let comparable: String

    /// Numbers have at most four digits behind the point.
    private static let scale = 10_000

    init(_ rule: ReferenceJSON, _ view: SQLView, own: String?) throws {
        var filter = ""
        if let condition = rule.presentMember("where") {
            filter = " FILTER (WHERE \(try view.predicate(condition, own: own)))"
        }
        func value(_ name: String) throws -> SQLValue? {
            try rule.presentMember(name).map { try view.value(SQLView.string($0), own: own) }
        }
        if rule.member("count") == .bool(true) {
            comparable = "CAST(count(*)\(filter) AS TEXT)"
        } else if let value = try value("count") {
            comparable = "CAST(count(nullif(\(value.canonical), 'null'))\(filter) AS TEXT)"
        } else if let value = try value("count_distinct") {
            comparable = "CAST(count(DISTINCT nullif(\(value.canonical), 'null'))\(filter) AS TEXT)"
        } else if let value = try value("min") {
            comparable = try SQLAggregate.extreme("min", value, filter, view)
        } else if let value = try value("max") {
            comparable = try SQLAggregate.extreme("max", value, filter, view)
        } else {
            guard view.numbers.isExact else { throw Unsayable(reason: "a sum of large or negative numbers") }
            let isSum = rule.presentMember("sum") != nil
            guard let value = try value(isSum ? "sum" : "avg") else { throw Unsayable(reason: "an aggregate") }
            let number = SQLText.number(value.spelled)
            let scaled = "CAST(round(\(number) * \(SQLAggregate.scale)) AS INTEGER)"
            let sum = "ifnull(sum(CASE WHEN \(number) IS NOT NULL THEN \(scaled) END)\(filter), 0)"
            let divisor = isSum ? "\(SQLAggregate.scale)" : "(count(\(number))\(filter) * \(SQLAggregate.scale))"
            comparable =
                "(CASE WHEN \(divisor) = 0 THEN NULL WHEN \(sum) % \(divisor) = 0 THEN CAST(\(sum) / \(divisor) AS TEXT)"
                + " ELSE rtrim(printf('%.15f', \(sum) * 1.0 / \(divisor)), '0') END)"
            shown =
                "(CASE WHEN \(divisor) > 0 THEN '{\"$\":[' || \(sum) || ',' || \(divisor) || ']}' END)"
            return
        }
        shown = comparable
    }

    /// The least or greatest scalar, by a text that sorts as the values do and ends with the value.
    private static func extreme(_ name: String, _ value: SQLValue, _ filter: String, _ view: SQLView) throws -> String {
        guard !view.numbers.isNegative else { throw Unsayable(reason: "the least of negative numbers") }
        let rank = SQLText.rank(value.spelled)
        let key =
            "CASE \(rank) WHEN 2 THEN '2' WHEN 3 THEN '3'"
            + " WHEN 4 THEN '4' || printf('%045.6f', \(SQLText.number(value.spelled)) + 0.0)"
            + " WHEN 5 THEN '5' || \(SQLText.string(value.spelled)) END"
        let extreme = "\(name)(\(key) || char(1) || \(value.canonical))\(filter)"
        return "substr(\(extreme), instr(\(extreme), char(1)) + 1)"
    }
}
