import GRDBSQLite
import TidemarkReferenceModel

/// A case that SQL cannot state exactly, with the reason.
package struct Unsayable: Error {
    /// What SQL cannot say.
    package let reason: String
}

/// A second judge of views: SQLite, asked with one statement for each rule over tables of the visible entities.
///
/// It shares no code with the views and none with their naive model; both rules and entities are read by the parser of
/// the reference model. SQLite evaluates paths, comparisons, joins, groups, orders and windows.
package final class SQLiteJudge {
    private var connection: OpaquePointer?
    private let types: [String]
    private var numbers = NumberRange()

    /// The failure of a statement: a fault of the translation.
    package struct Failure: Error, CustomStringConvertible {
        /// The message of SQLite and the statement.
        package let description: String
    }

    /// What SQLite answers.
    package struct Verdict: Equatable {
        /// The rows of the window, as JSON.
        package var rows: [String]
        /// The number of rows before the window is cut.
        package var total: Int
    }

    /// Opens a database in memory.
    ///
    /// - Parameter types: The types of entities, each a table.
    package init(types: [String]) throws {
        self.types = types
        guard sqlite3_open(":memory:", &connection) == SQLITE_OK else { throw failure("open") }
        for type in types {
            // The key, the resource as it was written, and the same with one spelling for equal values.
            _ = try texts("CREATE TABLE \(SQLText.name(type)) (id TEXT PRIMARY KEY, j TEXT, k TEXT) WITHOUT ROWID")
        }
    }

    deinit { sqlite3_close(connection) }

    /// Replaces the entities.
    ///
    /// - Throws: ``Unsayable`` for a value that SQLite would change.
    package func load(_ entities: [(type: String, id: String, resource: ReferenceJSON)]) throws {
        numbers = NumberRange()
        for entity in entities { numbers.add(entity.resource) }
        for type in types { _ = try texts("DELETE FROM \(SQLText.name(type))") }
        for entity in entities {
            let columns = [entity.id, try JudgeJSON.spelled(entity.resource), try JudgeJSON.canonical(entity.resource)]
            let values = columns.map(SQLText.literal).joined(separator: ", ")
            _ = try texts("INSERT INTO \(SQLText.name(entity.type)) VALUES (\(values))")
        }
    }

    /// Evaluates a rule over the loaded entities.
    ///
    /// - Parameters:
    ///   - offset: Replaces that of the rule.
    ///   - limit: Replaces that of the rule.
    /// - Throws: ``Unsayable`` for a rule that SQL cannot state, ``Failure`` if the statement is wrong.
    package func verdict(
        _ rule: ReferenceJSON, _ parameters: [String: ReferenceJSON], offset: Int? = nil, limit: Int? = nil
    ) throws -> Verdict {
        var view = SQLView(rule, parameters, numbers: numbers)
        let statement = try view.statement(offset: offset, limit: limit)
        let columns = try texts(statement)
        guard columns.count == 2, let total = Int(columns[0]) else { throw failure(statement) }
        let rows = try ReferenceJSONParser.parse(Array(columns[1].utf8)).elements ?? []
        return Verdict(rows: try rows.map { try JudgeJSON.sorted(JudgeJSON.withNumbers($0)) }, total: total)
    }

    /// A row of a view in the spelling of a verdict.
    package static func comparable(_ row: [UInt8]) throws -> String {
        try JudgeJSON.sorted(try ReferenceJSONParser.parse(row))
    }

    /// Runs a statement.
    ///
    /// - Returns: The columns of its first row.
    private func texts(_ sql: String) throws -> [String] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else {
            let failure = failure(sql)
            guard !failure.description.contains("stack overflow") else {
                throw Unsayable(reason: "a statement that is too deep for SQLite's parser")
            }
            throw failure
        }
        switch sqlite3_step(statement) {
        case SQLITE_DONE: return []
        case SQLITE_ROW:
            return (0..<sqlite3_column_count(statement)).map { column in
                sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
            }
        default: throw failure(sql)
        }
    }

    private func failure(_ sql: String) -> Failure {
        Failure(description: "\(String(cString: sqlite3_errmsg(connection))): \(sql)")
    }
}
