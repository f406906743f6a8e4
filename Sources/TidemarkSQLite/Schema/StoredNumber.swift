/// Checks stored numbers that are used in calculations. A forged file can contain any number, and no sum may overflow.
enum StoredNumber {
    /// A bound above every real count, row number and time in milliseconds.
    static let max: Int64 = 1 << 60

    /// Checks a count or row number, and returns it.
    ///
    /// - Throws: ``SQLiteError`` `SQLITE_CORRUPT` when the number is out of range.
    static func count(_ number: Int64, _ name: String) throws -> Int64 {
        guard 0...max ~= number else { throw SQLiteError.damaged("\(name) is \(number)") }
        return number
    }

    /// Returns true if a number can be a time in milliseconds since 1970.
    static func isMoment(_ number: Int64) -> Bool { -max...max ~= number }

    /// Returns true if a number can be a sequence, or is nil.
    static func isSequence(_ number: Int64?) -> Bool { number.map { $0 >= 0 } ?? true }
}
