import TidemarkModel
import TidemarkStore

/// Reads tables of a file that may have damaged pages: from both ends up to the damage, and around it where keys can be
/// guessed.
///
/// A statement that meets damage ends; other statements reach the rows after it. The caller must check each row itself.
struct SalvageScan {
    let connection: OpaquePointer
    /// The most row numbers between the two ends that are tried one by one: 1,000,000.
    private static let probeCountMax: Int64 = 1_000_000

    init(_ connection: OpaquePointer) {
        self.connection = connection
    }

    /// Returns how the file stores entities, as far as that can be read.
    ///
    /// - Parameter version: The format of the file.
    func layout(_ version: Int32) -> EntityLayout {
        var isMoving = false
        _ = run(BlockMigration.movedCountQuery, nil) { _ in isMoving = true }
        return DataFile.isOfRows(version) || isMoving ? .rows : .blocks
    }

    /// Visits the rows of a table whose key is a number.
    ///
    /// - Parameters:
    ///   - columns: The columns to read after the number, which is the first column.
    ///   - visit: Called once with each row that can be reached, in no order.
    /// - Returns: False if damage was met, so that there may be more rows.
    func numbered(
        _ table: String, key: String, columns: String, _ visit: (PreparedStatement) throws -> Void
    ) rethrows -> Bool {
        let head = "SELECT \(key), \(columns) FROM \(table)"
        var low: Int64?
        let isWhole = try run("\(head) ORDER BY \(key)", nil) { row in
            low = row.integer(0)
            try visit(row)
        }
        if isWhole { return true }
        var high: Int64?
        let isReached = try run("\(head) WHERE \(key) > ?1 ORDER BY \(key) DESC", low ?? .min) { row in
            high = row.integer(0)
            try visit(row)
        }
        guard !isReached, let high else { return false }
        var probe = (low ?? 0) + 1
        let end = min(high, probe + SalvageScan.probeCountMax)
        while probe < end {
            _ = try run("\(head) WHERE \(key) = ?1", probe, visit)
            probe += 1
        }
        return false
    }

    /// Visits the rows of a table whose key is a library, a type and an id; a row may be visited twice.
    ///
    /// - Parameters:
    ///   - columns: The columns to read after library, type and id, which are the first columns.
    ///   - places: The libraries and types that may have rows.
    /// - Returns: False if damage was met.
    func keyed(
        _ table: String, columns: String, places: [(LibraryIndex, TypeIndex)],
        _ visit: (PreparedStatement) throws -> Void
    ) rethrows -> Bool {
        let head = "SELECT library, type, id, \(columns) FROM \(table)"
        if try run("\(head) ORDER BY library, type, id", nil, visit) { return true }
        _ = try run("\(head) ORDER BY library DESC, type DESC, id DESC", nil, visit)
        for (library, type) in places {
            let place = "\(head) WHERE library = \(library) AND type = \(type) ORDER BY id"
            if try !run(place, nil, visit) { _ = try run(place + " DESC", nil, visit) }
        }
        return false
    }

    /// Runs a statement and visits its rows.
    ///
    /// - Returns: False if damage ended the statement.
    func run(_ sql: String, _ value: Int64?, _ visit: (PreparedStatement) throws -> Void) rethrows -> Bool {
        guard let statement = prepared(sql) else { return false }
        defer { statement.reset() }
        if let value { statement.bind(1, value) }
        while let isRow = step(statement) {
            guard isRow else { return true }
            try visit(statement)
        }
        return false
    }

    private func prepared(_ sql: String) -> PreparedStatement? {
        do {
            return try PreparedStatement(connection, sql)
        } catch {
            // The table, or the list of tables, is damaged, so nothing can be read.
            return nil
        }
    }

    /// Returns true if there is a row; nil for damage.
    private func step(_ statement: PreparedStatement) -> Bool? {
        do {
            return try statement.step()
        } catch {
            // Whatever the error is, this statement returns no more rows.
            return nil
        }
    }
}
