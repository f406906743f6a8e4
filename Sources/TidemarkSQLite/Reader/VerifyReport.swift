import TidemarkModel

/// What a check of a whole data file found.
public struct VerifyReport: Hashable, Sendable {
    /// One thing that is wrong.
    public enum Problem: Hashable, Sendable, CustomStringConvertible {
        /// An entity, a query, a layer, an index's record or a dictionary fails its check.
        case damaged(DamagedRow)
        /// A library's record counts other than its rows.
        case entityCount(library: ByteString, recorded: Int64, stored: Int64)
        /// Two keys point to one row.
        case sharedRow(row: Int64)
        /// A row that no key points to.
        case rowWithoutKey(row: Int64)
        /// A key whose library or type has no name.
        case unnamedKey(row: Int64)
        /// An entity that also has a tombstone.
        case tombstoneOfLiving(EntityKey)
        /// A query lists an entity more than once.
        case repeatedElement(query: Int64, EntityKey)
        /// An index that is whole has no row for an entity.
        case missingFieldValue(index: String, EntityKey)
        /// An index has another value, library or id for an entity than the entity itself.
        case wrongFieldValue(index: String, EntityKey)
        /// An index has a row for an entity that is not stored, or not of its type.
        case strayFieldValue(index: String, row: Int64)
        /// A record of a library contradicts itself: what, and which.
        case library(ByteString, String)
        /// A line of SQLite's own check.
        case integrity(String)

        public var description: String {
            switch self {
            case .damaged(let row): "damaged \(row)"
            case .entityCount(let library, let recorded, let stored):
                "library \"\(library)\" records \(counted(recorded, "entity", "entities")), \(stored == 1 ? "1 is" : "\(stored) are") stored"
            case .sharedRow(let row): "row \(row) has more than one key"
            case .rowWithoutKey(let row): "row \(row) has no key"
            case .unnamedKey(let row): "the key of row \(row) has a library or type without a name"
            case .tombstoneOfLiving(let key): "\(key.text) of library \"\(key.library)\" is stored and has a tombstone"
            case .repeatedElement(let query, let key): "query \(query) lists \(key.text) more than once"
            case .missingFieldValue(let index, let key):
                "the index \(index) lacks \(key.text) of library \"\(key.library)\""
            case .wrongFieldValue(let index, let key):
                "the index \(index) is wrong about \(key.text) of library \"\(key.library)\""
            case .strayFieldValue(let index, let row):
                "the index \(index) holds row \(row), which is no entity of its type"
            case .library(let library, let what): "library \"\(library)\": \(what)"
            case .integrity(let line): "SQLite: \(line)"
            }
        }
    }

    /// The first ``problemCountMax`` problems.
    public var problems: [Problem] = []
    /// All of them.
    public var problemCount = 0
    /// Entities that passed.
    public var entityCount: Int64 = 0
    /// Queries that passed.
    public var queryCount: Int64 = 0
    /// Elements of their lists whose entity is neither stored nor known to be deleted, as after an eviction.
    public var missingElementCount: Int64 = 0
    /// Rows of indexes that passed.
    public var fieldValueCount: Int64 = 0
    /// Pending layers that passed.
    public var layerCount: Int64 = 0
    /// Bytes of the entities' payloads.
    public var payloadByteCount: Int64 = 0
    /// Over the entities that passed.
    public var digest = EntityDigest()

    /// Problems that are listed: 1,000; more are only counted.
    public static let problemCountMax = 1_000

    /// Nothing is wrong.
    public var isSound: Bool { problemCount == 0 }

    mutating func add(_ problem: Problem) {
        problemCount += 1
        if problems.count < VerifyReport.problemCountMax { problems.append(problem) }
    }
}
