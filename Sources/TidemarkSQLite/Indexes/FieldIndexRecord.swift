import Tidemark
import TidemarkModel
import TidemarkStore

/// The stored record of a field index.
struct FieldIndexRecord: Hashable {
    /// The state of an index's rows.
    enum State: Int64 {
        /// Some entities have no row yet. Flushes maintain the rows that exist.
        case building = 0
        /// Every entity of the type has a row.
        case whole = 1
        /// The rows are being removed.
        case dropping = 2
    }

    /// The number of the index, 0 to 63; it is also the low six bits of its rows' places.
    var number: Int64
    var type: ByteString
    var path: FieldPath
    var state: State
    /// The library and id after which building continues; nil to begin with the first entity.
    var built: (library: LibraryIndex, id: StoredID)?

    static func == (left: FieldIndexRecord, right: FieldIndexRecord) -> Bool {
        left.number == right.number && left.type == right.type && left.path == right.path
            && left.state == right.state && left.built?.library == right.built?.library
            && left.built?.id == right.built?.id
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(number)
    }

    /// The index as a caller declares it; nil when type and path cannot be declared.
    var index: FieldIndex? { FieldIndex(type: type, path: path.text) }

    /// The name of the index as a caller declares it: type and path.
    var name: String { "\(type).\(path.text)" }
}

/// The number of an entity's row in an index. It combines the entity's row number and the index's number.
enum FieldPlace {
    static let bitCount: Int64 = 6

    static func of(row: Int64, _ number: Int64) -> Int64 { row << bitCount | number }

    static func row(_ place: Int64) -> Int64 { place >> bitCount }

    static func number(_ place: Int64) -> Int64 { place & (1 << bitCount - 1) }
}
