import TidemarkModel
import TidemarkStore

/// The libraries and types of a damaged file that pass their checks, with dense new numbers.
struct SalvagedNames {
    /// The libraries by new number. Their counts and staleness are set after the rows are copied.
    var libraries: [LibraryRecord] = []
    /// The types by new number.
    var types: [ByteString] = []
    /// The new numbers of libraries, by old number.
    private(set) var libraryNumbers: [LibraryIndex: LibraryIndex] = [:]
    private(set) var typeNumbers: [TypeIndex: TypeIndex] = [:]
    /// The old numbers of libraries whose record fails its check.
    private(set) var lostLibraries: [Int64] = []
    private(set) var lostTypes: [Int64] = []
    /// True if all records of libraries could be read.
    private(set) var areLibrariesWhole = false
    private(set) var areTypesWhole = false
    /// The contradictions that were corrected in libraries that are kept.
    private(set) var mended: [(library: ByteString, what: String)] = []

    /// True if any library or type has a new number.
    var areRenumbered: Bool {
        libraryNumbers.contains { $0.key != $0.value } || typeNumbers.contains { $0.key != $0.value }
    }

    /// The old numbers of the libraries and types that are kept.
    var places: [(LibraryIndex, TypeIndex)] {
        libraryNumbers.keys.sorted().flatMap { library in typeNumbers.keys.sorted().map { (library, $0) } }
    }

    init(_ scan: SalvageScan) {
        readLibraries(scan)
        readTypes(scan)
    }

    private mutating func readLibraries(_ scan: SalvageScan) {
        var lost: [Int64: [LostRange]] = [:]
        _ = scan.run("SELECT library, first, last FROM lost_ranges ORDER BY library, first", nil) { row in
            let (first, last) = (EventSequence(row.integer(1)), EventSequence(row.integer(2)))
            if first <= last { lost[row.integer(0), default: []].append(LostRange(first: first, last: last)) }
        }
        var found: [LibraryRecord] = []
        let columns = "name, epoch, generation, cursor, is_stale, entity_count, checksum"
        areLibrariesWhole = scan.numbered("libraries", key: "library", columns: columns) { row in
            guard let index = LibraryIndex(exactly: row.integer(0)), let generation = UInt32(exactly: row.integer(3))
            else {
                lostLibraries.append(row.integer(0))
                return
            }
            let record = LibraryRecord(
                index: index, name: row.text(1), epoch: row.optionalText(2), generation: generation,
                cursor: row.optionalInteger(4).map { EventSequence($0) }, isStale: row.integer(5) != 0,
                lost: lost[Int64(index)] ?? [], entityCount: row.integer(6))
            if LibraryTable.checksum(record) == row.integer(7) {
                found.append(record)
            } else {
                lostLibraries.append(row.integer(0))
            }
        }
        for var record in found.sorted(by: { $0.index < $1.index }) {
            let old = record.index
            record.index = LibraryIndex(libraries.count)
            libraryNumbers[old] = record.index
            mend(&record)
            libraries.append(record)
        }
    }

    /// Corrects a record that contradicts itself. A valid checksum does not exclude this: the writer may have made the
    /// mistake.
    private mutating func mend(_ record: inout LibraryRecord) {
        if let cursor = record.cursor, cursor < .beforeFirst {
            mended.append((record.name, "its position was below every sequence and was removed"))
            record.cursor = nil
            record.isStale = true
        }
        var ranges: [LostRange] = []
        for range in record.lost {
            guard let cursor = record.cursor, range.first <= cursor else { continue }
            let end = min(range.last, cursor)
            if let last = ranges.last, range.first <= last.last.successor {
                ranges[ranges.count - 1] = LostRange(first: last.first, last: max(last.last, end))
            } else {
                ranges.append(LostRange(first: range.first, last: end))
            }
        }
        guard ranges != record.lost else { return }
        mended.append((record.name, "its lost ranges overlapped or were past its position, and were joined"))
        record.lost = ranges
        record.isStale = true
    }

    private mutating func readTypes(_ scan: SalvageScan) {
        var found: [(TypeIndex, ByteString)] = []
        areTypesWhole = scan.numbered("types", key: "type", columns: "name, checksum") { row in
            guard let type = TypeIndex(exactly: row.integer(0)), TypeTable.checksum(type, row.text(1)) == row.integer(2)
            else {
                lostTypes.append(row.integer(0))
                return
            }
            found.append((type, row.text(1)))
        }
        for (old, name) in found.sorted(by: { $0.0 < $1.0 }) {
            typeNumbers[old] = TypeIndex(types.count)
            types.append(name)
        }
    }

    /// Returns the new number of a library; the next one if the name has none yet.
    mutating func index(ofLibrary name: ByteString) -> LibraryIndex {
        if let record = libraries.first(where: { $0.name == name }) { return record.index }
        let index = LibraryIndex(libraries.count)
        libraries.append(
            LibraryRecord(
                index: index, name: name, epoch: nil, generation: 0, cursor: nil, isStale: true, lost: [],
                entityCount: 0))
        return index
    }

    /// Returns the new number of a type; the next one if the name has none yet.
    mutating func index(ofType name: ByteString) -> TypeIndex {
        if let index = types.firstIndex(of: name) { return TypeIndex(index) }
        types.append(name)
        return TypeIndex(types.count - 1)
    }

    /// Returns an entity's key with the new numbers; nil when its library or type is lost.
    func key(_ old: StoredKey) -> StoredKey? {
        guard let library = libraryNumbers[old.library], let type = typeNumbers[old.type] else { return nil }
        return StoredKey(library: library, type: type, id: old.id)
    }

    func entityKey(_ key: StoredKey) -> EntityKey {
        EntityKey(library: libraries[Int(key.library)].name, type: types[Int(key.type)], id: key.id.text)
    }
}
