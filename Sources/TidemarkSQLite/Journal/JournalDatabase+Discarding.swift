import GRDB

extension JournalDatabase {
    /// Takes out what a file brought over from the one before it, as the first step of the transaction that writes the same from memory.
    func discardContents(_ db: Database) throws {
        for table in ["libraries", "lost_ranges", "types", "layers"] { try db.execute(sql: "DELETE FROM \(table)") }
    }
}
