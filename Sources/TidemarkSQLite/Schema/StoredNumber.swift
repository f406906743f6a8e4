/// Numbers of a file that are counted on with: whoever can forge a file can write any, and no sum of them may overflow.
enum StoredNumber {
    /// What no count, no row's number and no moment in milliseconds ever reaches.
    static let max: Int64 = 1 << 60

    /// A count, or the number of a row.
    ///
    /// - Throws: ``SQLiteFailure`` `SQLITE_CORRUPT` when it is none.
    static func count(_ number: Int64, _ name: String) throws -> Int64 {
        guard 0...max ~= number else { throw SQLiteFailure.damaged("\(name) is \(number)") }
        return number
    }

    /// Whether a number is a moment, in milliseconds since 1970.
    static func isMoment(_ number: Int64) -> Bool { -max...max ~= number }

    /// Whether a number is a sequence; none is, too.
    static func isSequence(_ number: Int64?) -> Bool { number.map { $0 >= 0 } ?? true }
}
