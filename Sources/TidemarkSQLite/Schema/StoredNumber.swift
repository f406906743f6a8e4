/// Checks numbers of a file that are used in calculations. A forged file can hold any number, and no sum may overflow.
enum StoredNumber {
    /// A bound that no count, row number or time in milliseconds ever reaches.
    static let max: Int64 = 1 << 60

    /// Returns a number that is a count or the number of a row.
    ///
    /// - Throws: ``SQLiteFailure`` `SQLITE_CORRUPT` when the number is out of range.
    static func count(_ number: Int64, _ name: String) throws -> Int64 {
        guard 0...max ~= number else { throw SQLiteFailure.damaged("\(name) is \(number)") }
        return number
    }

    /// Tells whether a number can be a time in milliseconds since 1970.
    static func isMoment(_ number: Int64) -> Bool { -max...max ~= number }

    /// Tells whether a number can be a sequence; nil can.
    static func isSequence(_ number: Int64?) -> Bool { number.map { $0 >= 0 } ?? true }
}
