import Tidemark
import TidemarkStore

@testable import TidemarkSQLite

extension EntityLayout {
    /// Returns the form of entities of a seed's run: the seeds take turns.
    static func of(seed: UInt64) -> EntityLayout { allCases[Int(seed % UInt64(allCases.count))] }
}

extension SQLiteJournal {
    /// Opens a file; one that is created gets entities of this form.
    static func open(path: String, layout: EntityLayout) async throws(StorageError) -> SQLiteJournal {
        var configuration = Configuration(path: path)
        configuration.layout = layout
        return try await open(configuration)
    }
}
