extension PreparedStatement {
    /// Runs a query that returns a single number.
    ///
    /// - Returns: nil when the query returns no row, or NULL.
    static func number(_ connection: OpaquePointer, _ sql: String) throws -> Int64? {
        var number: Int64?
        try PreparedStatement(connection, sql).forEachRow { number = $0.optionalInteger(0) }
        return number
    }
}
