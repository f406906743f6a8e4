import GRDBSQLite
import Testing
import TidemarkTesting

/// SQL that a test runs on a data file while no journal has it open.
enum SQLiteShell {
    /// Runs statements on a file, one after another; each must succeed.
    static func run(_ path: String, _ statements: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        #expect(sqlite3_open(path, &connection) == SQLITE_OK, sourceLocation: sourceLocation)
        for statement in statements {
            let code = sqlite3_exec(connection, statement, nil, nil, nil)
            #expect(
                code == SQLITE_OK, "\(statement): \(String(cString: sqlite3_errmsg(connection)))",
                sourceLocation: sourceLocation)
        }
    }
}

extension TemporaryFolder {
    /// Runs statements on a data file of the folder.
    func sqlite(
        _ statements: [String], _ name: String = "cache.db", sourceLocation: SourceLocation = #_sourceLocation
    ) {
        SQLiteShell.run(file(name), statements, sourceLocation: sourceLocation)
    }
}
