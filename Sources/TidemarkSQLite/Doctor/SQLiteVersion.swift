/// A version of the SQLite library, and what is known to be wrong with it.
struct SQLiteVersion: Hashable, Comparable {
    /// As `sqlite3_libversion_number` gives it: 3·10⁶ + minor·10³ + patch.
    let number: Int32

    init(number: Int32) {
        self.number = number
    }

    init(_ major: Int32, _ minor: Int32, _ patch: Int32) {
        number = major * 1_000_000 + minor * 1_000 + patch
    }

    var text: String { "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)" }

    static func < (left: SQLiteVersion, right: SQLiteVersion) -> Bool { left.number < right.number }

    /// A fault of SQLite that can damage a file like ours.
    struct Defect: Hashable {
        /// The first version that has it, and the first that has not.
        var since: SQLiteVersion
        var fixed: SQLiteVersion
        /// Later patches of older minor versions that do not have it either.
        var backports: [SQLiteVersion]
        /// What it is, what it takes, and how far it concerns this program.
        var what: String
        var advice: String

        func concerns(_ version: SQLiteVersion) -> Bool {
            guard version >= since, version < fixed else { return false }
            return !backports.contains { version.number / 1_000 == $0.number / 1_000 && version >= $0 }
        }
    }

    /// Those of this version.
    var defects: [Defect] { SQLiteVersion.knownDefects.filter { $0.concerns(self) } }

    /// Only what reaches a write-ahead log or plain tables; faults of features that no file of ours uses are left out.
    ///
    /// - Source: sqlite.org/wal.html, "The WAL-Reset Bug"; sqlite.org/changes.html, 3.51.3 and 3.53.0.
    static let knownDefects = [
        Defect(
            since: SQLiteVersion(3, 7, 0), fixed: SQLiteVersion(3, 51, 3),
            backports: [SQLiteVersion(3, 44, 6), SQLiteVersion(3, 50, 7)],
            what: """
                has the WAL-reset bug (3.7.0 to 3.51.2): when two connections of one file write or copy its log back at the \
                same moment, a commit may be left out of the copy and the file be damaged. Tidemark writes and copies with \
                one connection, under its lock, so it takes another program that writes the file
                """,
            advice: """
                open the file with nothing else for writing, the sqlite3 shell included, while a writer runs; SQLite \
                3.51.3, and 3.50.7 and 3.44.6 of the older lines, do not have it
                """)
    ]
}
