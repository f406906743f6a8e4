import Tidemark
import TidemarkModel
import TidemarkStore

/// An index as the file has it.
struct FieldIndexRecord: Hashable {
    /// What is true of its rows.
    enum State: Int64 {
        /// Some entities have none yet; flushes keep those that are there.
        case building = 0
        /// Each entity of the type has one.
        case whole = 1
        /// They are being taken out.
        case dropping = 2
    }

    /// 0 to 63, and the low six bits of its rows' places.
    var number: Int64
    var type: ByteString
    var path: FieldPath
    var state: State
    /// Where building goes on: behind this id of this library. nil: at the first.
    var built: (library: LibraryIndex, id: StoredID)?

    static func == (left: FieldIndexRecord, right: FieldIndexRecord) -> Bool {
        left.number == right.number && left.type == right.type && left.path == right.path
            && left.state == right.state && left.built?.library == right.built?.library
            && left.built?.id == right.built?.id
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(number)
    }

    /// nil for what nobody could have declared.
    var index: FieldIndex? { FieldIndex(type: type, path: path.text) }

    /// As it is declared.
    var name: String { "\(type).\(path.text)" }
}

/// The place of an entity's row in an index: the entity's row number and the index's number in one.
enum FieldPlace {
    static let bitCount: Int64 = 6

    static func of(row: Int64, _ number: Int64) -> Int64 { row << bitCount | number }

    static func row(_ place: Int64) -> Int64 { place >> bitCount }

    static func number(_ place: Int64) -> Int64 { place & (1 << bitCount - 1) }
}
