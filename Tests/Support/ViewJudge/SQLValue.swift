/// A value as two expressions of SQL, each NULL where there is none.
struct SQLValue {
    /// The value as it was written.
    var spelled: String
    /// The same text for all equal values.
    var canonical: String

    /// True where the value is there and is not null.
    var isPresent: String { "ifnull(\(canonical) <> 'null', 0)" }

    /// The value that a pointer leads to.
    func at(_ pointer: String) throws -> SQLValue {
        let tokens = SQLText.tokens(pointer)
        return SQLValue(spelled: try SQLText.step(spelled, tokens), canonical: try SQLText.step(canonical, tokens))
    }

    /// A table with the column `v`: the value, or with `*` the elements of the array.
    ///
    /// - Parameter isCanonical: True for the texts that decide equality.
    func table(isEach: Bool, isCanonical: Bool) -> String {
        let value = isCanonical ? canonical : spelled
        guard isEach else { return "(SELECT \(value) AS v)" }
        return "(SELECT \(value) -> \"$v\".fullkey AS v FROM json_each(\(value)) AS \"$v\""
            + " WHERE json_type(\(value)) = 'array')"
    }

    // MARK: Comparison

    /// 1 or 0: the operator between two values, of which neither may be absent.
    func compared(_ sign: String, _ other: SQLValue) -> String {
        func both(_ piece: (String) -> String) -> String { "\(piece(spelled)) \(sign) \(piece(other.spelled))" }
        func kind(_ value: SQLValue, _ kinds: String) -> String { "json_type(\(value.spelled)) IN (\(kinds))" }
        func areOf(_ kinds: String) -> String { "\(kind(self, kinds)) AND \(kind(other, kinds))" }
        return "ifnull(CASE WHEN \(areOf("'integer','real'")) THEN \(both(SQLText.number))"
            + " WHEN \(areOf("'text'")) THEN \(both(SQLText.string))"
            + " WHEN \(areOf("'true','false'")) THEN \(both(SQLText.rank))"
            + " WHEN \(areOf("'null'")) THEN 0 \(sign) 0 ELSE 0 END, 0)"
    }

    func equals(_ other: SQLValue) -> String { "ifnull(\(canonical) = \(other.canonical), 0)" }

    /// 1 if the value is an element of an array.
    func isElement(of array: SQLValue) -> String {
        "EXISTS (SELECT 1 FROM \(array.table(isEach: true, isCanonical: true)) AS \"$in\" WHERE \"$in\".v = \(canonical))"
    }

    /// 1 if the value is a string that begins with another one.
    func begins(with start: SQLValue) -> String {
        let (text, prefix) = (SQLText.string(spelled), SQLText.string(start.spelled))
        return "ifnull(substr(\(text), 1, length(\(prefix))) = \(prefix), 0)"
    }
}
