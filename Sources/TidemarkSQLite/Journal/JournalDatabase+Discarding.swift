import GRDB

extension JournalDatabase {
    /// Takes out what a file brought over from the one before it, as the first step of the transaction that writes the same from memory.
    func discardContents(_ db: Database) throws {
        for table in ["libraries", "lost_ranges", "types", "layers"] { try db.execute(sql: "DELETE FROM \(table)") }
    }
}

extension JournalMemory {
    /// What is remembered of a file whose contents are discarded: the indexes it has, over nothing.
    var withoutContents: JournalMemory {
        var memory = JournalMemory()
        memory.setIndexes(indexes)
        return memory
    }
}
