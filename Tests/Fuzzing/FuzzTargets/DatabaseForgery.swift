import TidemarkModel
import TidemarkSQLite
import TidemarkStore

/// An entity's body, forged by someone who can compute checks.
struct ForgedEntity {
    var key: EntityKey
    var sequence: Int64?
    var generation: UInt32 = 0
    var writtenAt: Int64 = 1_700_000_000_000
    /// The header and the bytes after it.
    var covered: [UInt8]

    /// The SQL that replaces the entity's body. Libraries and types have numbers in the order of their first use.
    var statement: String {
        let id = StoredID(key.id)
        let (bytes, literal, isUUID) =
            switch id {
            case .uuid(let value): (value.bytes, value.bytes.sqlLiteral, true)
            case .text(let text): (text.bytes, "'\(text)'", false)
            }
        let (library, type) = (key.library == "" ? 0 : 1, key.type == "tag" ? 0 : 1)
        let seal = PayloadSeal(
            library: LibraryIndex(library), type: TypeIndex(type), isUUID: isUUID, sequence: sequence,
            generation: generation, writtenAt: writtenAt)
        let seed = bytes.withUnsafeBytes { seal.seed(id: $0) }
        let check = UInt32(truncatingIfNeeded: covered.withUnsafeBytes { Checksum.xxh64($0, seed: seed) })
        let body = withUnsafeBytes(of: check.littleEndian) { Array($0) } + covered
        return """
            UPDATE entities SET body = \(body.sqlLiteral), generation = \(generation), written_at = \(writtenAt), \
            sequence = \(sequence.map { "\($0)" } ?? "NULL") WHERE "row" = (SELECT "row" FROM keys WHERE library = \(library) \
            AND type = \(type) AND id = \(literal))
            """
    }
}

/// A layer's body with a valid check.
struct ForgedLayer {
    var number: Int64
    var createdAt: Int64 = 1_700_000_000_000
    var body: [UInt8]

    var statement: String {
        let record = LayerRecord(
            number: number, pendingID: ByteString("edit-\(number)"), library: 1, createdAt: createdAt,
            changes: [])
        let checksum = body.withUnsafeBytes { LayerTable.checksum(record, library: "a", flags: 0, body: $0) }
        return """
            UPDATE layers SET body = \(body.sqlLiteral), created_at = \(createdAt), checksum = \(checksum) \
            WHERE number = \(number)
            """
    }
}

extension [UInt8] {
    fileprivate var sqlLiteral: String {
        let digits = Array("0123456789abcdef".utf8)
        return "x'\(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }.text)'"
    }
}
