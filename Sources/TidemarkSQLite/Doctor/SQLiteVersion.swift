/// A version of the SQLite library, with its known defects.
struct SQLiteVersion: Hashable, Comparable {
    /// The number that `sqlite3_libversion_number` returns: 3·10⁶ + minor·10³ + patch.
    let number: Int32

    init(number: Int32) {
        self.number = number
    }

    init(_ major: Int32, _ minor: Int32, _ patch: Int32) {
        number = major * 1_000_000 + minor * 1_000 + patch
    }

    var text: String { "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)" }

    static func < (left: SQLiteVersion, right: SQLiteVersion) -> Bool { left.number < right.number }

    /// A defect of SQLite that can damage a Tidemark file.
    struct Defect: Hashable {
        /// The first version that has the defect.
        var since: SQLiteVersion
        /// The first version without the defect.
        var fixed: SQLiteVersion
        /// Patches of older minor versions in which the defect is fixed too.
        var backports: [SQLiteVersion]
        /// A sentence about the defect: its effect, its conditions, and how far it concerns Tidemark.
        var what: String
        var advice: String

        /// Returns true if a version has the defect.
        func concerns(_ version: SQLiteVersion) -> Bool {
            guard version >= since, version < fixed else { return false }
            return !backports.contains { version.number / 1_000 == $0.number / 1_000 && version >= $0 }
        }
    }

    /// The known defects of this version.
    var defects: [Defect] { SQLiteVersion.knownDefects.filter { $0.concerns(self) } }

    /// Defects that concern a write-ahead log or plain tables. Defects of features that Tidemark does not use are
    /// omitted.
    ///
    /// - Source: sqlite.org/wal.html, "The WAL-Reset Bug"; sqlite.org/changes.html, 3.51.3 and 3.53.0.
    static let knownDefects = [
        Defect(
            since: SQLiteVersion(3, 7, 0), fixed: SQLiteVersion(3, 51, 3),
            backports: [SQLiteVersion(3, 44, 6), SQLiteVersion(3, 50, 7)],
            what: """
                has the WAL-reset bug (3.7.0 to 3.51.2): when two connections of one file write or copy its log back at the \
                same moment, a commit may be left out of the copy and the file be damaged. Tidemark writes and copies with \
                one connection, under its lock, so this needs another program that writes the file
                """,
            advice: """
                while a writer runs, do not open the file for writing with another program, the sqlite3 shell included; SQLite \
                3.51.3, and 3.50.7 and 3.44.6 of the older lines, do not have the bug
                """)
    ]
}
