import TidemarkModel

/// The result of checking a whole data file.
public struct VerifyReport: Hashable, Sendable {
    /// A problem that was found.
    public enum Problem: Hashable, Sendable, CustomStringConvertible {
        /// An entity, query, layer, index record, dictionary or another record fails its check.
        case damaged(DamagedRow)
        /// The count in a library's record differs from the number of its rows.
        case entityCount(library: ByteString, recorded: Int64, stored: Int64)
        /// Two keys point to one row.
        case sharedRow(row: Int64)
        /// No key points to a row.
        case rowWithoutKey(row: Int64)
        /// The library or type of a key has no name.
        case unnamedKey(row: Int64)
        /// The index of keys has entities that no block contains.
        case missingEntities(count: Int64)
        /// Entities are missing from the keys in order, so pages and exports leave them out.
        case unorderedEntities(count: Int64)
        /// Two blocks have the same ordinal, so a position in the index is ambiguous.
        case sharedOrdinal(block: Int64)
        /// A table for entities in rows is not empty in a file of blocks.
        case unexpectedRows(table: String)
        /// A stored entity also has a tombstone.
        case tombstoneOfLiving(EntityKey)
        /// A query lists an entity more than once.
        case repeatedElement(query: Int64, EntityKey)
        /// A complete index has no row for an entity.
        case missingFieldValue(index: String, EntityKey)
        /// The value, library or id of an entity in an index differs from the entity itself.
        case wrongFieldValue(index: String, EntityKey)
        /// An index has a row for an entity that is not stored, or not of its type.
        case strayFieldValue(index: String, row: Int64)
        /// An index of a file of blocks has a value for an entity that is not stored.
        case strayFieldCode(index: String, id: ByteString)
        /// A record of a library contradicts itself; the text describes how.
        case library(ByteString, String)
        /// The definition or the stored result of a view is wrong; the text describes how.
        case view(name: ByteString, library: ByteString, String)
        /// A line of SQLite's own check, or the reason why the file cannot be read to its end.
        case integrity(String)

        /// The problem in one sentence.
        public var description: String {
            switch self {
            case .damaged(let row): "damaged \(row)"
            case .entityCount(let library, let recorded, let stored):
                "library \"\(library)\" records \(counted(recorded, "entity", "entities")), \(stored == 1 ? "1 is" : "\(stored) are") stored"
            case .sharedRow(let row): "row \(row) has more than one key"
            case .rowWithoutKey(let row): "row \(row) has no key"
            case .unnamedKey(let row): "the key of row \(row) has a library or type without a name"
            case .missingEntities(let count):
                "the index names \(counted(count, "entity", "entities")) that no block has"
            case .unorderedEntities(let count):
                "\(counted(count, "entity is", "entities are")) missing among the keys in order"
            case .sharedOrdinal(let block): "block \(block) has the ordinal of another one"
            case .unexpectedRows(let table): "the table \(table) has rows, and a file of this format has none there"
            case .tombstoneOfLiving(let key): "\(key.text) of library \"\(key.library)\" is stored and has a tombstone"
            case .repeatedElement(let query, let key): "query \(query) lists \(key.text) more than once"
            case .missingFieldValue(let index, let key):
                "the index \(index) lacks \(key.text) of library \"\(key.library)\""
            case .wrongFieldValue(let index, let key):
                "the index \(index) has a wrong value for \(key.text) of library \"\(key.library)\""
            case .strayFieldValue(let index, let row):
                "the index \(index) holds row \(row), which is not an entity of its type"
            case .strayFieldCode(let index, let id):
                "the index \(index) holds \(id), which is not an entity of its type"
            case .library(let library, let what): "library \"\(library)\": \(what)"
            case .view(let name, let library, let what): "view \"\(name)\" of library \"\(library)\": \(what)"
            case .integrity(let line): "SQLite: \(line)"
            }
        }
    }

    /// The first ``problemCountMax`` problems.
    public var problems: [Problem] = []
    /// The number of all problems, including those that are not in ``problems``.
    public var problemCount = 0
    /// The number of entities that passed.
    public var entityCount: Int64 = 0
    /// The number of queries that passed.
    public var queryCount: Int64 = 0
    /// The number of list elements whose entity is neither stored nor known to be deleted, for example after an
    /// eviction. They are not problems.
    public var missingElementCount: Int64 = 0
    /// The number of index rows that passed.
    public var fieldValueCount: Int64 = 0
    /// The number of pending layers that passed.
    public var layerCount: Int64 = 0
    /// The number of defined views whose stored result passed. Only a check that evaluates views counts them.
    public var viewCount: Int64 = 0
    /// The total size of the entities' payloads, in bytes.
    public var payloadByteCount: Int64 = 0
    /// The digest of the entities that passed.
    public var digest = EntityDigest()

    /// The most problems in ``problems``: 1,000. Further ones are only counted.
    public static let problemCountMax = 1_000

    /// True if no problem was found.
    public var isSound: Bool { problemCount == 0 }

    /// Adds the problems and counts of a report about other entities.
    mutating func add(_ other: VerifyReport) {
        problemCount += other.problemCount
        problems += other.problems.prefix(VerifyReport.problemCountMax - problems.count)
        entityCount += other.entityCount
        payloadByteCount += other.payloadByteCount
        digest.add(other.digest)
    }

    /// Adds a problem that another module found.
    package mutating func add(_ problem: Problem) {
        problemCount += 1
        if problems.count < VerifyReport.problemCountMax { problems.append(problem) }
    }
}
