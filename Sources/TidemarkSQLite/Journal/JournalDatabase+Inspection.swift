import GRDB
import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads for inspecting a database.
extension JournalDatabase {
    /// Returns records of the quarantine, oldest first.
    ///
    /// - Complexity: O(records), of which there are at most `quarantineRecordCountMax`.
    func quarantine(_ selection: QuarantineSelection) throws -> [QuarantineRecord] {
        try queue.writeWithoutTransaction { db in
            guard let connection = db.sqliteConnection else { return [] }
            let statement = try PreparedStatement(
                connection,
                "SELECT \(QuarantineTable.columns) FROM quarantine WHERE number > ? ORDER BY number")
            statement.bind(1, max(selection.after, (selection.numbers?.first ?? 1) - 1))
            defer { statement.reset() }
            var records: [QuarantineRecord] = []
            while records.count < selection.countMax, try statement.step() {
                if let last = selection.numbers?.last, statement.integer(0) > last { break }
                guard let record = QuarantineTable.record(statement) else {
                    throw SQLiteError.damaged("quarantined record \(statement.integer(0)) cannot be read")
                }
                if selection.holds(record) { records.append(record) }
            }
            return records
        }
    }

    /// Counts the stored entities of each library and type.
    func entityCounts() throws -> [JournalEntityCount] {
        try readingKeys { try reading { try $0.entities.reads.counts() } }
    }
}

extension JournalFinding {
    /// Converts a finding to the form of the journal port.
    init(_ finding: Finding) {
        let level: Level =
            switch finding.level {
            case .ok: .ok
            case .note: .note
            case .warning: .warning
            case .problem: .problem
            }
        self.init(
            level, topic: finding.topic.rawValue, code: finding.code.rawValue, finding.what, at: finding.place,
            advice: finding.advice)
    }
}
