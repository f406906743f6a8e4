import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkStore

/// A database, read beside its writer or without one.
struct CacheReader {
    /// What ``verify()`` found.
    struct Report {
        var entityCount: Int64
        /// One sentence each; empty when all is well.
        var problems: [String]

        var isSound: Bool { problems.isEmpty }
    }

    /// In the order of their ids.
    let libraries: [LibraryRecord] = []
    let counts = EventCounts()
    let ignoredKinds: [ByteString: Int64] = [:]
    let byteCount: Int64 = 0
    let entityCount: Int64 = 0

    init(path: String) throws(Failure) {
        throw Failure(
            StorageError(.notFound, "there is no database at \(path)", advice: "make one with tidemark ingest"),
            isReader: true)
    }

    func answer(to name: EntityName, library: ByteString?) throws(Failure) -> EntityAnswer { .absent }

    func page(library: ByteString?, type: ByteString?, after: EntityKey?, countMax: Int) throws(Failure) -> [ReadEntity]
    {
        []
    }

    func forEach(
        library: ByteString?, type: ByteString?, _ body: (ReadEntity) throws(Failure) -> Bool
    ) throws(Failure) {}

    func quarantine(after: Int64, reason: QuarantineReason?, countMax: Int) throws(Failure) -> [QuarantineRecord] { [] }

    func verify() throws(Failure) -> Report { Report(entityCount: 0, problems: []) }

    func reportDamage() throws(Failure) {}
}
