import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkViews

/// Statements of SQL as rules.
///
/// Source: Protocol/views.md, SQL.
@Suite(.pooled) struct ViewSQLTests {
    private func rule(_ sql: String) throws -> String {
        String(decoding: try ViewRule(sql: sql).canonical, as: UTF8.self)
    }

    /// The canonical spelling of a rule.
    private func canonical(_ json: String) throws -> String {
        String(decoding: try ViewRule(json: Array(json.utf8)).canonical, as: UTF8.self)
    }

    @Test(
        arguments: [
            ("SELECT * FROM issue", #"{"from":"issue"}"#),
            (
                "select title, issue.address.city AS town from issue;",
                #"{"from":"issue","select":{"title":"issue/title","town":"issue/address/city"}}"#
            ),
            (
                #"SELECT i.labels[0] first, i."a/b~c" FROM "issue" AS i -- a comment"#,
                #"{"from":{"type":"issue","as":"i"},"select":{"first":"i/labels/0","a/b~c":"i/a~1b~0c"}}"#
            ),
            (
                """
                SELECT i.title, p.name AS project FROM issue i
                JOIN project p ON p.id = i.project AND p.status = 'active'
                LEFT OUTER JOIN user u ON i.assignee = u.id
                WHERE i.votes >= 3 ORDER BY i.created DESC, title LIMIT 20 OFFSET 5
                """,
                #"{"from":{"type":"issue","as":"i"},"joins":[{"type":"project","as":"p","on":{"@key":"i/project"},"#
                    + #""where":{"path":"p/status","eq":"active"}},{"type":"user","as":"u","kind":"left","on":"#
                    + #"{"@key":"i/assignee"}}],"where":{"path":"i/votes","gte":3},"select":{"title":"i/title","#
                    + #""project":"p/name"},"order":[{"path":"i/created","direction":"desc"},{"path":"/title"}],"#
                    + #""limit":20,"offset":5}"#
            ),
            (
                "SELECT * FROM issue JOIN comment ON comment.issue = issue.id AND comment.by = :me",
                #"{"from":"issue","joins":[{"type":"comment","on":{"/issue":"issue@key","/by":{"param":"me"}}}]}"#
            ),
            (
                #"SELECT * FROM a JOIN b ON b."id" = a.x AND a.y = b."id" JOIN a AS c ON c.id = a.id JOIN d ON d.id = a.id"#,
                #"{"from":"a","joins":[{"type":"b","on":{"/id":["a/x","a/y"]}},{"type":"a","as":"c","on":"#
                    + #"{"@key":"a@key"}},{"type":"d","on":{"/id":"a/id"}}]}"#
            ),
            (
                "SELECT * FROM photo JOIN tag ON tag.name = ANY(photo.tags)",
                #"{"from":"photo","joins":[{"type":"tag","on":{"/name":"photo/tags/*"}}]}"#
            ),
            (
                """
                SELECT i.project, COUNT(*) AS n, SUM(i.votes), count(distinct i.by) who,
                  AVG(i.votes) FILTER (WHERE i.open) mean
                FROM issue i GROUP BY i.project HAVING COUNT(*) > 1 ORDER BY n DESC, i.project LIMIT 3
                """,
                #"{"from":{"type":"issue","as":"i"},"group":{"project":"i/project"},"aggregates":{"n":{"count":true},"#
                    + #""sum_votes":{"sum":"i/votes"},"who":{"count_distinct":"i/by"},"mean":{"avg":"i/votes","where":"#
                    + #"{"path":"i/open","eq":true}}},"having":{"path":"/n","gt":1},"order":[{"path":"/n","direction":"#
                    + #""desc"},{"path":"/project"}],"limit":3}"#
            ),
            ("SELECT MAX(votes) FROM issue", #"{"from":"issue","aggregates":{"max_votes":{"max":"issue/votes"}}}"#),
        ] as [(String, String)])
    func `a statement says a rule`(sql: String, json: String) throws {
        #expect(try rule(sql) == canonical(json))
    }

    @Test(
        arguments: [
            ("x = 'it''s'", #"{"path":"t/x","eq":"it's"}"#),
            ("3 < x", #"{"path":"t/x","gt":3}"#),
            ("x <= -1.50e2", #"{"path":"t/x","lte":-1.50e2}"#),
            ("x = y", #"{"path":"t/x","eq":{"path":"t/y"},"ne":null}"#),
            ("x >= :low", #"{"path":"t/x","gte":{"param":"low"},"ne":null}"#),
            ("x <> 1", #"{"all":[{"path":"t/x","ne":1},{"path":"t/x","exists":true,"ne":null}]}"#),
            (
                "NOT (x = 1 OR y < 2)",
                #"{"all":[{"all":[{"path":"t/x","ne":1},{"path":"t/x","exists":true,"ne":null}]},{"path":"t/y","gte":2}]}"#
            ),
            ("x IS NULL", #"{"any":[{"path":"t/x","exists":false},{"path":"t/x","eq":null}]}"#),
            ("NOT x IS NULL", #"{"path":"t/x","exists":true,"ne":null}"#),
            ("x IN (1, 'a', true)", #"{"path":"t/x","in":[1,"a",true]}"#),
            ("x IN (:list)", #"{"path":"t/x","in":{"param":"list"},"ne":null}"#),
            ("x NOT IN (1)", #"{"all":[{"not":{"path":"t/x","in":[1]}},{"path":"t/x","exists":true,"ne":null}]}"#),
            ("x LIKE 'ab%'", #"{"path":"t/x","prefix":"ab"}"#),
            (
                "x BETWEEN 1 AND 2 AND y",
                #"{"all":[{"all":[{"path":"t/x","gte":1},{"path":"t/x","lte":2}]},{"path":"t/y","eq":true}]}"#
            ),
        ] as [(String, String)])
    func `a condition holds where SQL says true`(sql: String, json: String) throws {
        #expect(try rule("SELECT * FROM t WHERE \(sql)") == canonical(#"{"from":"t","where":\#(json)}"#))
    }

    @Test(
        arguments: [
            ("SELCT * FROM issue", 1, 1, "SELECT is expected here, not SELCT", "SELECT"),
            ("SELECT *\nFRM issue", 2, 1, "FROM is expected here, not FRM", "FROM"),
            ("SELECT title FRM issue", 1, 14, "FRM is no keyword", "FROM"),
            ("SELECT isue.title FROM issue", 1, 8, "no source is named isue", "issue"),
            (
                "SELECT title FROM issue JOIN project ON project.id = issue.project", 1, 8,
                "issue.title or project.title", nil
            ),
            ("SELECT COUN(*) FROM issue", 1, 8, "COUN is no aggregate", "COUNT"),
            ("SELECT * FROM issue WHERE x = NULL", 1, 27, "write IS NULL", nil),
            ("SELECT * FROM issue WHERE x LIKE '%a'", 1, 34, "LIKE 'abc%'", nil),
            ("SELECT * FROM issue WHERE x = 'a", 1, 31, "does not end", nil),
            ("SELECT * FROM issue WHERE x + 1 = 2", 1, 29, "no +", nil),
            ("SELECT * FROM a, b", 1, 16, "JOIN", nil),
            ("SELECT * FROM a RIGHT JOIN b ON b.id = a.b", 1, 17, "no RIGHT JOIN", nil),
            ("SELECT * FROM a JOIN b ON b.x = 1", 1, 22, "an equality between b and an earlier source", nil),
            ("SELECT * FROM a JOIN a ON a.x = 1", 1, 22, "two sources are named a", nil),
            ("SELECT x, a.x FROM a", 1, 11, "two columns are named x", nil),
            ("SELECT x, COUNT(*) FROM a", 1, 8, "neither an aggregate nor in GROUP BY", nil),
            ("SELECT COUNT(*) FROM a GROUP BY x", 1, 33, "select the column, too", nil),
            ("SELECT COUNT(*) FROM a HAVING SUM(x) > 1", 1, 31, "select the aggregate, too", nil),
            ("SELECT DISTINCT x FROM a", 1, 8, "GROUP BY instead", nil),
            ("SELECT * FROM a LIMIT x", 1, 23, "a whole number", nil),
            ("SELECT * FROM a WHER x = 1", 1, 17, "WHER is no keyword", "WHERE"),
            ("SELECT * FROM a WHERE x = 1 ODER BY x", 1, 29, "the end of the statement", "ORDER"),
            ("SELECT 1 FROM a", 1, 8, "no other values", nil),
            ("SELECT * FROM a ORDER BY 1", 1, 26, "order by a column", nil),
            ("SELECT * FROM a LIMIT 0", 1, 1, "/limit", nil),
        ] as [(String, Int, Int, String, String?)])
    func `a mistake is reported with its line, its column and the nearest word`(
        sql: String, line: Int, column: Int, what: String, nearest: String?
    ) throws {
        let error = try #require(throws: ViewSQLError.self) { try ViewRule(sql: sql) }
        #expect((error.line, error.column) == (line, column), "\(error.message)")
        #expect(error.what.contains(what), "\(error.message)")
        #expect(error.nearest == nearest, "\(error.message)")
    }

    @Test func `a statement has bounds`() throws {
        let deep = String(repeating: "(", count: 40) + "x = 1" + String(repeating: ")", count: 40)
        #expect(throws: ViewSQLError.self) { try ViewRule(sql: "SELECT * FROM a WHERE \(deep)") }
        #expect(throws: ViewSQLError.self) {
            try ViewRule(sql: "SELECT * FROM a" + String(repeating: " ", count: 70_000))
        }
    }

    @Test func `rule, SQL and rule again are the same for random rules`() throws {
        for seed in TestScale.seeds(400) {
            var random = RandomStatement(seed: seed)
            let (json, sql) = random.statement()
            #expect(try rule(sql) == canonical(json), "seed \(seed): \(sql)")
        }
    }
}

/// Draws rules that SQL can say, each with its statement.
private struct RandomStatement {
    private var random: SeededGenerator
    private var aliases: [String] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func one<Element>(_ elements: [Element]) -> Element {
        elements.randomElement(using: &random) ?? elements[0]
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// A path in both forms. `id` in quotes is the member, not the entity.
    private mutating func path(_ alias: String? = nil) -> (json: String, sql: String) {
        let alias = alias ?? one(aliases)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return ("\(alias)/a/b", "\(alias).a.b")
        case 1: return ("\(alias)/l/2", "\(alias).l[2]")
        case 2: return ("\(alias)/select", #"\#(alias)."select""#)
        case 3: return ("\(alias)/id", #"\#(alias)."id""#)
        default:
            let name = one(["title", "votes", "n_1"])
            return ("\(alias)/\(name)", "\(alias).\(name)")
        }
    }

    private mutating func literal() -> (json: String, sql: String) {
        one([
            ("1", "1"), ("-2.50", "-2.50"), ("1e3", "1e3"), (#""it's""#, "'it''s'"), ("true", "TRUE"),
            ("false", "false"),
        ])
    }

    private mutating func condition(_ depth: Int = 0) -> (json: String, sql: String) {
        if depth < 3, chance(35) {
            let isAll = chance(50)
            let parts = (0..<Int.random(in: 2...3, using: &random)).map { _ in condition(depth + 1) }
            return (
                "{\"\(isAll ? "all" : "any")\":[\(parts.map(\.json).joined(separator: ","))]}",
                parts.map { "(\($0.sql))" }.joined(separator: isAll ? " AND " : " or ")
            )
        }
        let left = path()
        let present = "{\"path\":\"\(left.json)\",\"exists\":true,\"ne\":null}"
        switch Int.random(in: 0..<7, using: &random) {
        case 0: return (present, "\(left.sql) IS NOT NULL")
        // Between sources of a join, this would be one of its conditions.
        case 1 where depth < 3:
            let other = path()
            return (
                "{\"path\":\"\(left.json)\",\"eq\":{\"path\":\"\(other.json)\"},\"ne\":null}",
                "\(left.sql) = \(other.sql)"
            )
        case 2: return ("{\"path\":\"\(left.json)\",\"prefix\":\"ab\"}", "\(left.sql) LIKE 'ab%'")
        case 3:
            let values = [literal(), literal()]
            return (
                "{\"path\":\"\(left.json)\",\"in\":[\(values.map(\.json).joined(separator: ","))]}",
                "\(left.sql) IN (\(values.map(\.sql).joined(separator: ",")))"
            )
        case 4: return ("{\"path\":\"\(left.json)\",\"lt\":{\"param\":\"p\"},\"ne\":null}", "\(left.sql) < :p")
        case 5:
            let value = literal()
            return (
                "{\"all\":[{\"path\":\"\(left.json)\",\"ne\":\(value.json)},\(present)]}", "\(left.sql) != \(value.sql)"
            )
        default:
            let (value, sign) = (literal(), one([("eq", "="), ("lt", "<"), ("lte", "<="), ("gt", ">"), ("gte", ">=")]))
            return ("{\"path\":\"\(left.json)\",\"\(sign.0)\":\(value.json)}", "\(left.sql) \(sign.1) \(value.sql)")
        }
    }

    mutating func statement() -> (json: String, sql: String) {
        aliases = ["x0"]
        var members = [#""from":{"type":"t","as":"x0"}"#]
        var tables = "t x0"
        var joins: [String] = []
        for index in 1..<Int.random(in: 1...3, using: &random) {
            let (alias, isLeft) = ("x\(index)", chance(50))
            let other = path()
            let on = one([
                (#""@key":"\#(other.json)""#, "\(alias).id = \(other.sql)"),
                (#""/r":"\#(aliases[0])@key""#, "\(alias).r = \(aliases[0]).id"),
                (#""/r":{"param":"q"}"#, "\(alias).r = :q"),
                (#""/r":"\#(other.json)""#, "\(other.sql) = \(alias).r"),
            ])
            aliases.append(alias)
            let filter = chance(30) ? condition(3) : nil
            let kind = isLeft ? #","kind":"left""# : ""
            let inner = filter.map { ",\"where\":\($0.json)" } ?? ""
            joins.append("{\"type\":\"u\",\"as\":\"\(alias)\"\(kind),\"on\":{\(on.0)}\(inner)}")
            tables +=
                " \(isLeft ? "LEFT JOIN" : "JOIN") u AS \(alias) ON \(on.1)\(filter.map { " AND (\($0.sql))" } ?? "")"
        }
        if !joins.isEmpty { members.append("\"joins\":[\(joins.joined(separator: ","))]") }
        var (tail, columns) = ("", "*")
        if chance(50) {
            let filter = condition()
            members.append("\"where\":\(filter.json)")
            tail += " WHERE \(filter.sql)"
        }
        if chance(40) {
            let (key, value) = (path(), path())
            let function = one(["count", "sum", "avg", "min", "max"])
            members.append(
                "\"group\":{\"k\":\"\(key.json)\"},\"aggregates\":{\"f\":{\"\(function)\":\"\(value.json)\"}}")
            columns = "\(key.sql) AS k, \(function.uppercased())(\(value.sql)) f"
            tail += " GROUP BY \(key.sql)"
            if chance(50) {
                members.append(#""having":{"path":"/f","gt":1}"#)
                tail += " HAVING f > 1"
            }
            if chance(50) {
                members.append(#""order":[{"path":"/f","direction":"desc"}]"#)
                tail += " ORDER BY \(function)(\(value.sql)) DESC"
            }
        } else {
            if chance(60) {
                let items = (0..<3).map { (name: "s\($0)", path: path()) }
                members.append(
                    "\"select\":{\(items.map { "\"\($0.name)\":\"\($0.path.json)\"" }.joined(separator: ","))}")
                columns = items.map { "\($0.path.sql) AS \($0.name)" }.joined(separator: ", ")
            }
            if chance(50) {
                let (first, second) = (path(), path())
                members.append(
                    "\"order\":[{\"path\":\"\(first.json)\"},{\"path\":\"\(second.json)\",\"direction\":\"asc\"}]")
                tail += " ORDER BY \(first.sql), \(second.sql) ASC"
            }
        }
        if chance(50) {
            members.append("\"limit\":7,\"offset\":2")
            tail += " LIMIT 7 OFFSET 2"
        }
        return ("{\(members.joined(separator: ","))}", "SELECT \(columns) FROM \(tables)\(tail)")
    }
}
