import GRDB
import Tidemark

extension JournalDatabase {
    /// Returns all counters in the database by name.
    func counters() throws -> [String: Int64] {
        try queue.writeWithoutTransaction { db in
            guard let connection = db.sqliteConnection else { throw closed }
            return try CounterTable.read(connection)
        }
    }

    /// The indexes of the file that are not being dropped.
    var keptIndexes: [FieldIndex] { memory.indexes.filter { $0.state != .dropping }.compactMap(\.index) }
}
