import GRDB

extension JournalDatabase {
    /// Removes the contents that a rebuilt file took from the damaged one. This is the first step of the transaction
    /// that writes the same contents from memory.
    func discardContents(_ db: Database) throws {
        for table in ["libraries", "lost_ranges", "types", "layers"] { try db.execute(sql: "DELETE FROM \(table)") }
    }
}

extension JournalMemory {
    /// The memory of a file whose contents are discarded: only its indexes remain, without values.
    var withoutContents: JournalMemory {
        var memory = JournalMemory()
        memory.setIndexes(indexes)
        return memory
    }
}
