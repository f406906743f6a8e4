import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// Compares the rows of all field indexes with the entities, while these are read one by one.
///
/// Memory: one bit for each row and index; none in a file of blocks.
final class FieldIndexCheck {
    private let connection: OpaquePointer
    private let names: ReadNames
    private let records: [FieldIndexRecord]
    private let damaged: [Int64]
    private let read: PreparedStatement?
    /// True in a file of rows, where the table of values names entities by their rows.
    private let hasRows: Bool
    /// The row numbers of the entities of each index's type, by index number.
    private var seen: [Int64: RowSet] = [:]

    init(_ connection: OpaquePointer, _ names: ReadNames, _ report: inout VerifyReport) throws {
        self.connection = connection
        self.names = names
        // The version is read again in each snapshot, because a writer may upgrade the file beside the reader.
        let version = try DataFileSchema.version(connection)
        hasRows = try EntityLayout(connection) == .rows
        guard version >= 5 else {
            (records, damaged, read) = ([], [], nil)
            return
        }
        (records, damaged) = try FieldIndexTable.read(connection)
        read = try PreparedStatement(
            connection,
            hasRows
                ? "SELECT number, library, code, id FROM field_values WHERE place = ?1"
                : "SELECT number, library, code, id FROM field_codes WHERE number = ?1 AND library = ?2 AND id = ?3")
        for number in damaged {
            report.add(.damaged(DamagedRow(row: number, kind: .index, fault: .checksumMismatch)))
        }
    }

    /// Returns true if there is an index on the type.
    func has(_ type: TypeIndex) -> Bool {
        Int(type) < names.types.count && records.contains { $0.type == names.types[Int(type)] }
    }

    /// Compares the index values of an entity with the entity.
    ///
    /// - Parameter entity: The entity; nil when it fails its check, so that the right values are unknown.
    func check(_ key: StoredKey, row: Int64, entity: StoredEntity?, name: EntityKey, _ report: inout VerifyReport)
        throws
    {
        guard !records.isEmpty, let read, Int(key.type) < names.types.count else { return }
        for record in records where record.type == names.types[Int(key.type)] && record.state != .dropping {
            if hasRows { _ = seen[record.number, default: RowSet()].insert(row) }
            guard let entity else { continue }
            let code = entity.payload.withUnsafeBytes { bytes in
                CompactJSON.isObject(bytes)
                    ? FieldCode.kept(record.path, of: bytes, Completeness(fields: entity.fields)) : nil
            }
            guard let code else { continue }
            if hasRows {
                read.bind(1, FieldPlace.of(row: row, record.number))
            } else {
                read.bind(1, record.number)
                read.bind(2, Int64(key.library))
                switch key.id {
                case .uuid(let value): read.bind(3, blob: value.bytes)
                case .text(let text): read.bind(3, text: text)
                }
            }
            defer { read.reset() }
            guard try read.step() else {
                // An index that is being built has no row yet for some entities.
                if record.state == .whole { report.add(.missingFieldValue(index: record.name, name)) }
                continue
            }
            let isRight =
                read.integer(0) == record.number && read.integer(1) == Int64(key.library)
                && Array(read.borrowedBytes(2)) == code && read.storedID(3) == key.id
            if isRight { report.fieldValueCount += 1 } else { report.add(.wrongFieldValue(index: record.name, name)) }
        }
    }

    /// Adds a problem for each index value that belongs to no entity. Call it after all entities were checked.
    func finish(_ entities: any EntityReads, _ report: inout VerifyReport) throws {
        guard read != nil else { return }
        guard hasRows else { return try finishWithoutRows(entities, &report) }
        let byNumber = Dictionary(uniqueKeysWithValues: records.map { ($0.number, $0) })
        let skipped = Set(damaged + records.filter { $0.state == .dropping }.map(\.number))
        let rows = try PreparedStatement(connection, "SELECT place FROM field_values")
        try rows.forEachRow { row in
            let place = row.integer(0)
            let number = FieldPlace.number(place)
            guard !skipped.contains(number) else { return }
            if seen[number]?.contains(FieldPlace.row(place)) != true {
                let index = byNumber[number]?.name ?? "number \(number), which does not exist,"
                report.add(.strayFieldValue(index: index, row: FieldPlace.row(place)))
            }
        }
    }

    private func finishWithoutRows(_ entities: any EntityReads, _ report: inout VerifyReport) throws {
        let byNumber = Dictionary(uniqueKeysWithValues: records.map { ($0.number, $0) })
        let skipped = Set(damaged + records.filter { $0.state == .dropping }.map(\.number))
        try PreparedStatement(connection, "SELECT number, library, id FROM field_codes").forEachRow { row in
            let number = row.integer(0)
            guard !skipped.contains(number) else { return }
            let record = byNumber[number]
            let library = LibraryIndex(exactly: row.integer(1))
            if let record, let library, let type = names.types.firstIndex(of: record.type), let id = row.storedID(2),
                try entities.contains(StoredKey(library: library, type: TypeIndex(type), id: id))
            {
                return
            }
            report.add(
                .strayFieldCode(
                    index: record?.name ?? "number \(number), which does not exist,",
                    id: row.storedID(2)?.text ?? ByteString(row.borrowedBytes(2))))
        }
    }
}
