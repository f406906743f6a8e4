/// Pieces of SQL. A value is an expression whose result is the text of a JSON value, or NULL where there is none.
enum SQLText {
    /// A string of SQL.
    static func literal(_ text: String) -> String { "'\(doubled("'", in: text))'" }

    /// The name of a table or column.
    static func name(_ text: String) -> String { "\"\(doubled("\"", in: text))\"" }

    private static func doubled(_ quote: Character, in text: String) -> String {
        String(text.flatMap { $0 == quote ? [quote, quote] : [$0] })
    }

    /// All conditions, of which there may be none.
    static func all(_ conditions: [String]) -> String {
        conditions.isEmpty ? "1" : conditions.map { "(\($0))" }.joined(separator: " AND ")
    }

    /// Any of some conditions, of which there may be none.
    static func any(_ conditions: [String]) -> String {
        conditions.isEmpty ? "0" : conditions.map { "(\($0))" }.joined(separator: " OR ")
    }

    // MARK: Values

    /// The tokens of a JSON Pointer.
    static func tokens(_ pointer: String) -> [String] {
        pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { token in
            token.split(separator: "~1", omittingEmptySubsequences: false)
                .map { $0.split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~") }
                .joined(separator: "/")
        }
    }

    /// The value that tokens of a pointer lead to.
    static func step(_ value: String, _ tokens: some Sequence<String>) throws -> String {
        var value = value
        for token in tokens {
            guard !token.contains(where: { $0 == "\"" || $0 == "\\" }) else {
                throw Unsayable(reason: "a name with a quote")
            }
            let member = "(\(value) -> \(literal("$.\"\(token)\"")))"
            let isIndex =
                !token.isEmpty && token.allSatisfy { ("0"..."9").contains($0) } && (token == "0" || token.first != "0")
            value =
                isIndex
                ? "(CASE json_type(\(value)) WHEN 'array' THEN \(value) -> '$[\(token)]' ELSE \(member) END)" : member
        }
        return value
    }

    /// The place of a value's kind in the order of values; 0 where there is none.
    static func rank(_ value: String) -> String {
        "(CASE json_type(\(value)) WHEN 'null' THEN 1 WHEN 'false' THEN 2 WHEN 'true' THEN 3 WHEN 'integer' THEN 4"
            + " WHEN 'real' THEN 4 WHEN 'text' THEN 5 WHEN 'array' THEN 6 WHEN 'object' THEN 6 ELSE 0 END)"
    }

    /// The number; NULL for every other value.
    static func number(_ value: String) -> String {
        "(CASE WHEN json_type(\(value)) IN ('integer', 'real') THEN json_extract(\(value), '$') END)"
    }

    /// The string; NULL for every other value.
    static func string(_ value: String) -> String {
        "(CASE json_type(\(value)) WHEN 'text' THEN json_extract(\(value), '$') END)"
    }

    /// The expressions that sort by a value.
    static func order(_ value: String, _ direction: String) -> [String] {
        [rank(value), number(value), string(value)].map { "\($0) \(direction)" }
    }

    /// The text of an object whose members without a value are left out.
    static func object(_ members: [(name: String, value: String)]) throws -> String {
        let pairs = try members.map { name, value in
            "ifnull(\(literal("," + (try JudgeJSON.string(Array(name.utf8))) + ":")) || \(value), '')"
        }
        return "('{' || substr(\((pairs + ["''"]).joined(separator: " || ")), 2) || '}')"
    }

    // MARK: References

    /// True where a value among those of a table refers to an entity.
    ///
    /// - Parameters:
    ///   - values: A table with the column `v`.
    ///   - id: The identity of the entity, an expression.
    static func refers(_ values: String, type: String, id: String) -> String {
        // The elements of an array, or the value itself.
        let each = "SELECT \"$s\".v -> \"$e\".fullkey AS v FROM \(values) AS \"$s\", json_each(\"$s\".v) AS \"$e\""
        let flat =
            "\(each) WHERE json_type(\"$s\".v) <> 'object'"
            + " UNION ALL SELECT \"$s\".v FROM \(values) AS \"$s\" WHERE json_type(\"$s\".v) = 'object'"
        return "EXISTS (SELECT 1 FROM (\(flat)) AS \"$r\" WHERE \(target("\"$r\".v", type)) = \(id))"
    }

    /// The identity of a type's entity to which one value refers.
    private static func target(_ value: String, _ type: String) -> String {
        let reference = "json_extract(\(value), '$.__ref')"
        let start = literal(type + ":")
        let rest = "substr(\(reference), length(\(start)) + 1)"
        let named =
            "CASE WHEN json_type(\(value), '$.__ref') = 'text' AND substr(\(reference), 1, length(\(start))) = \(start)"
            + " THEN \(identity(rest)) END"
        let inner =
            "(CASE WHEN ifnull(json_type(\(value), '$.id'), 'null') <> 'null' THEN \(value) -> '$.id'"
            + " ELSE \(value) -> '$.uuid' END)"
        return "(CASE WHEN json_type(\(value)) <> 'object' THEN \(scalar(value))"
            + " WHEN json_type(\(value), '$.__ref') IS NOT NULL THEN \(named) ELSE \(scalar(inner)) END)"
    }

    private static func scalar(_ value: String) -> String {
        "(CASE json_type(\(value)) WHEN 'integer' THEN \(value) WHEN 'text' THEN"
            + " \(identity("json_extract(\(value), '$')")) END)"
    }

    /// An id as entities have it: a UUID in lower case.
    private static func identity(_ text: String) -> String {
        let pattern = [8, 4, 4, 4, 12].map { String(repeating: "[0-9A-Fa-f]", count: $0) }.joined(separator: "-")
        return "nullif(CASE WHEN \(text) GLOB '\(pattern)' THEN lower(\(text)) ELSE \(text) END, '')"
    }
}
