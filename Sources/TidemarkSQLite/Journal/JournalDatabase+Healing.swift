import GRDB
import Tidemark
import TidemarkModel
import TidemarkStore

extension JournalDatabase {
    /// Replaces damaged parts of the tables of entities.
    ///
    /// All libraries become stale: entities are lost, or older ones have returned, and the damage does not show whose
    /// they are. Late events up to the highest known sequence are held off, as after a repair. Indexes are rebuilt,
    /// because their values are those of the entities before.
    ///
    /// - Throws: Errors of SQLite; nothing is changed then.
    /// - Source: Protocol/sequencing.md, late events.
    func heal(_ damage: EntityDamage, _ db: Database, _ statements: JournalStatements) throws {
        let counters = try CounterTable.read(statements.connection)
        try statements.entities.inTransaction(db) {
            try statements.entities.heal()
            try db.execute(sql: "DELETE FROM field_codes")
            for var index in try FieldIndexTable.read(statements.connection).records where index.state != .dropping {
                index.state = .building
                index.built = nil
                try statements.fieldIndexes.write(index)
            }
            for var record in try LibraryTable.read(statements.connection) {
                record.isStale = true
                record.entityCount = damage.entityCounts[record.index] ?? 0
                try statements.libraries.write(record, lostBefore: record.lost)
                let places = [
                    counters[CounterTable.answeredThrough(record.index)],
                    counters[CounterTable.forgottenThrough(record.index)], record.cursor?.rawValue,
                ]
                if let known = places.compactMap({ $0 }).max(), known >= 0 {
                    try statements.counters.write(CounterTable.forgottenThrough(record.index), known)
                }
            }
        }
    }

    /// Waits for the index of entities that another thread reads, and replaces what is damaged.
    ///
    /// - Throws: Errors of SQLite; the next call tries again.
    func finishOpening() throws {
        guard isOpening else { return }
        let statements = try openStatements()
        try statements.entities.finishOpening()
        if let damage = statements.entities.openingDamage {
            let before = memory.entityCounts
            let damaged = try queue.writeWithoutTransaction { db in
                try heal(damage, db, statements)
                // Nothing was committed since the file was opened, so memory is still what was read then.
                return try readState(statements.connection, statements).1
            }
            loss = OpeningLoss(
                entityCountChanges: memory.entityCounts.merging(before) { $0 - $1 })
            report(damage.rows + damaged)
            isOpening = false
            try changeIndexes(FieldIndexChanges(), progress: nil)
        }
        isOpening = false
    }

    /// Runs a read of keys in order. If a run of them is damaged, rebuilds all runs from the blocks and repeats the
    /// read.
    ///
    /// - Throws: Errors of SQLite, and those of `body`.
    func readingKeys<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let damage as KeyRunError {
            if isReadOnly { throw damage.failure }
            try finishOpening()
            report([DamagedRow(row: 0, kind: .keyRun, fault: damage.fault)])
            let entities = try openStatements().entities
            try queue.writeWithoutTransaction { db in try entities.inTransaction(db) { try entities.heal() } }
            return try body()
        }
    }
}
