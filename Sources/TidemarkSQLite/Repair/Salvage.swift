import GRDB
import Tidemark
import TidemarkModel
import TidemarkStore

/// Copies everything of a damaged file that passes its check into an empty one, in one transaction.
///
/// Bodies stay byte for byte; where a library or type before theirs was lost, so that their own numbers change, the check at their
/// beginning is made anew over the same bytes.
final class Salvage {
    private let scan: SalvageScan
    let target: OpaquePointer
    private let isValid: ([UInt8]) -> Bool
    private let now: Int64
    var names: SalvagedNames
    private let decoder: PayloadDecoder
    private var dictionaries: [Int64: PayloadDictionary] = [:]
    private let version: Int32
    /// What was left out of each library, by new number.
    var lostCounts: [LibraryIndex: Int] = [:]
    /// New keys of what is kept.
    private var kept: Set<StoredKey> = []
    private(set) var steps: [RepairStep] = []
    private var untoldCount = 0

    /// - Parameters:
    ///   - source: The damaged file.
    ///   - target: A file without contents, inside a transaction.
    ///   - isValid: Whether bytes are one JSON object.
    init(
        _ source: OpaquePointer, into target: OpaquePointer, now: Int64, isValid: @escaping ([UInt8]) -> Bool
    ) throws {
        scan = SalvageScan(source)
        self.target = target
        self.now = now
        self.isValid = isValid
        var version: Int32 = 0
        _ = scan.run("PRAGMA user_version", nil) { version = Int32(clamping: $0.integer(0)) }
        self.version = version
        names = SalvagedNames(scan)
        decoder = try PayloadDecoder()
    }

    func copy() throws {
        tellNames()
        try copyDictionaries()
        try copyEntities()
        try copyTombstones()
        try copyLayers()
        try copyQueries()
        try copyRecords()
        try copyIndexes()
        try writeNames()
        if untoldCount > 0 { steps.append(RepairStep("\(untoldCount) more of the kind")) }
    }

    func tell(_ what: String, advice: String = "") {
        guard steps.count < RepairReport.stepCountMax else { return untoldCount += 1 }
        steps.append(RepairStep(what, advice: advice))
    }

    private func tellNames() {
        for number in names.lostLibraries {
            tell(
                "library \(number), whose record fails its check, was taken out with all it holds: its name is not known",
                advice: "feed its log from the start")
        }
        for number in names.lostTypes {
            tell(
                "type \(number), whose record fails its check, was taken out with its entities: its name is not known",
                advice: "feed the logs of all libraries from the start, or refresh their queries")
        }
        for (library, what) in names.mended { tell("library \"\(library)\": \(what)", advice: "refresh its queries") }
    }

    // MARK: Entities

    private func copyDictionaries() throws {
        let put = try PreparedStatement(
            target,
            "INSERT OR IGNORE INTO dictionaries (dictionary, type, trained_at, checksum, body) VALUES (?, ?, ?, ?, ?)")
        _ = try scan.numbered("dictionaries", key: "dictionary", columns: "type, trained_at, checksum, body") { row in
            let number = row.integer(0)
            let bytes = Array(row.borrowedBytes(4))
            guard let old = TypeIndex(exactly: row.integer(1)),
                PayloadDictionary.checksum(number: number, type: old, bytes: bytes) == row.integer(3)
            else {
                return tell(
                    "dictionary \(number) fails its check and was taken out",
                    advice: "nothing: its type gets another one, and what needed it is named below")
            }
            guard let type = names.typeNumbers[old] else { return }
            dictionaries[number] = PayloadDictionary(number: number, type: type, bytes: bytes)
            put.bind(1, number)
            put.bind(2, Int64(type))
            put.bind(3, row.integer(2))
            put.bind(4, PayloadDictionary.checksum(number: number, type: type, bytes: bytes))
            put.bind(5, blob: bytes)
            try put.run()
        }
    }

    private func copyEntities() throws {
        let putKey = try PreparedStatement(
            target, #"INSERT OR IGNORE INTO keys (library, type, id, "row") VALUES (?, ?, ?, ?)"#)
        let putRow = try PreparedStatement(
            target,
            #"INSERT OR IGNORE INTO entities ("row", sequence, generation, written_at, body) VALUES (?, ?, ?, ?, ?)"#)
        var rows = RowSet()
        var seen: Set<StoredKey> = []
        let isWhole = try scan.keyed("keys", columns: #""row""#, places: names.places) { row in
            guard let old = row.storedKey(from: 0) else { return tell("a key that cannot be read was taken out") }
            guard let key = names.key(old), seen.insert(key).inserted else { return }
            let number = row.integer(3)
            switch try copy(old, key, row: number, putRow, &rows) {
            case nil:
                putKey.bind(key, from: 1)
                putKey.bind(4, number)
                try putKey.run()
                kept.insert(key)
            case let fault?:
                lostCounts[key.library, default: 0] += 1
                let name = names.entityKey(key)
                tell(
                    "entity \(name.text) of library \"\(name.library)\" was taken out: \(fault.rawValue)",
                    advice: "fetch it again, or feed the library's log")
            }
        }
        guard !isWhole else { return }
        tell(
            "keys of entities could not all be read: those that stand on a damaged page are taken out",
            advice: "feed the logs of all libraries from the start, or refresh their queries")
        for library in names.libraries { lostCounts[library.index, default: 0] += 1 }
    }

    /// - Returns: Why the entity cannot be kept; nil when it was copied.
    private func copy(
        _ old: StoredKey, _ key: StoredKey, row number: Int64, _ put: PreparedStatement, _ rows: inout RowSet
    ) throws -> PayloadFault? {
        var fault: PayloadFault? = .rowMissing
        var failure: (any Error)?
        let columns = #"SELECT "row", sequence, generation, written_at, body FROM entities WHERE "row" = ?1"#
        let isRead = scan.run(columns, number) { row in
            switch EntityReader.answer(row, key: old, decoder, dictionaries) {
            case .damaged(_, let found): fault = found
            case .absent: fault = .rowMissing
            case .found(let entity):
                guard isValid(entity.payload) else { return fault = .notJSON }
                // Two keys cannot both pass the check of one row.
                guard rows.insert(number) else { return fault = .checksumMismatch }
                fault = nil
                put.bind(1, number)
                put.bind(2, row.optionalInteger(1))
                put.bind(3, row.integer(2))
                put.bind(4, row.integer(3))
                put.bind(5, blob: body(Array(row.borrowedBytes(4)), entity, key))
                do {
                    try put.run()
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
        return isRead ? fault : .checksumMismatch
    }

    /// The same bytes, with a check over the key's new numbers where they changed.
    private func body(_ bytes: [UInt8], _ entity: StoredEntity, _ key: StoredKey) -> [UInt8] {
        guard entity.key != key else { return bytes }
        let isUUID: Bool
        let id: [UInt8]
        switch key.id {
        case .uuid(let value): (isUUID, id) = (true, value.bytes)
        case .text(let text): (isUUID, id) = (false, text.bytes)
        }
        let seal = PayloadSeal(
            library: key.library, type: key.type, isUUID: isUUID, sequence: entity.sequence?.rawValue,
            generation: entity.generation, writtenAt: entity.writtenAt)
        let seed = id.withUnsafeBytes { seal.seed(id: $0) }
        let check = bytes.withUnsafeBytes { bytes in
            Checksum.xxh64(UnsafeRawBufferPointer(rebasing: bytes[PayloadCodec.checkByteCount...]), seed: seed)
        }
        var sealed = bytes
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: check).littleEndian) { head in
            for (index, byte) in head.enumerated() { sealed[index] = byte }
        }
        return sealed
    }

    private func copyTombstones() throws {
        let put = try PreparedStatement(
            target,
            """
            INSERT OR IGNORE INTO tombstones (library, type, id, number, sequence, generation, deleted_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        let columns = "number, sequence, generation, deleted_at"
        let isWhole = try scan.keyed("tombstones", columns: columns, places: names.places) { row in
            guard let old = row.storedKey(from: 0), let generation = UInt32(exactly: row.integer(5)) else {
                return tell("a tombstone that cannot be read was taken out")
            }
            guard let key = names.key(old) else { return }
            guard !kept.contains(key) else {
                return tell(
                    "the tombstone of \(names.entityKey(key).text) was taken out: the entity is stored and passes its check"
                )
            }
            put.bind(key, from: 1)
            put.bind(4, row.integer(3))
            put.bind(5, row.optionalInteger(4))
            put.bind(6, Int64(generation))
            put.bind(7, row.integer(6))
            try put.run()
        }
        if !isWhole { tell("tombstones could not all be read: late changes of what was deleted may bring it back") }
    }

    // MARK: Lists and layers

    /// Layers name their library and types, so their rows are copied as they are.
    private func copyLayers() throws {
        guard version >= 3 else { return }
        var open = LayerNames()
        let put = try PreparedStatement(
            target, "INSERT OR IGNORE INTO layers (\(LayerTable.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        // The number stands first in both, so the columns begin one later.
        let isWhole = try scan.numbered("layers", key: "number", columns: tail(LayerTable.columns)) { row in
            do throws(PayloadFault) {
                _ = try LayerTable.record(row, &open)
            } catch {
                return tell(
                    "the pending edit in row \(row.integer(0)) was taken out: \(error.rawValue)",
                    advice: "make the edit again")
            }
            put.bind(1, row.integer(0))
            put.bind(2, text: row.text(1))
            put.bind(3, text: row.text(2))
            put.bind(4, row.integer(3))
            put.bind(5, row.optionalInteger(4))
            put.bind(6, row.integer(5))
            put.bind(7, row.integer(6))
            put.bind(8, blob: Array(row.borrowedBytes(7)))
            put.bind(9, row.integer(8))
            try put.run()
        }
        for (_, name) in open.newLibraries { _ = names.index(ofLibrary: name) }
        for (_, name) in open.newTypes { _ = names.index(ofType: name) }
        if !isWhole { tell("pending edits could not all be read", advice: "make those again that are missing") }
    }

    private func copyQueries() throws {
        guard version >= 2 else { return }
        let table = try QueryTable(target)
        let isWhole = try scan.numbered("queries", key: "number", columns: tail(QueryTable.columns)) { row in
            let record: QueryRecord
            do throws(PayloadFault) {
                record = try QueryTable.record(row, libraryCount: .max, typeCount: .max)
            } catch {
                return tell(
                    "the query in row \(row.integer(0)) was taken out: \(error.rawValue)",
                    advice: "nothing: it is asked for again when somebody reads it")
            }
            guard let library = names.libraryNumbers[record.library], let type = names.typeNumbers[record.type] else {
                return tell("the query \(record.method) was taken out: its library or type is lost")
            }
            try table.write(mended(record, library, type))
        }
        if !isWhole { tell("queries could not all be read", advice: "nothing: they are asked for again") }
    }

    private func mended(_ old: QueryRecord, _ library: LibraryIndex, _ type: TypeIndex) -> QueryRecord {
        var record = old
        record.library = library
        record.type = type
        var seen: Set<StoredID> = []
        record.elements = old.elements.filter { seen.insert($0.id).inserted }
        if record.elements.count < old.elements.count {
            tell("the query \(record.method) listed entities more than once: each is listed once now, and it is stale")
            record.staleSince = record.staleSince ?? now
        }
        // Which list a lost entity was in is not known of those that are evaluated.
        if lostCounts[library] ?? 0 > 0 { record.staleSince = record.staleSince ?? now }
        return record
    }

    // MARK: The rest

    private func copyRecords() throws {
        let kinds = try PreparedStatement(target, "INSERT OR IGNORE INTO ignored_kinds (name, count) VALUES (?, ?)")
        _ = try scan.run("SELECT name, count FROM ignored_kinds", nil) { row in
            kinds.bind(1, text: row.text(0))
            kinds.bind(2, row.integer(1))
            try kinds.run()
        }
        var recordCount: Int64 = 0
        let put = try PreparedStatement(
            target,
            "INSERT OR IGNORE INTO quarantine (\(QuarantineTable.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        _ = try scan.numbered("quarantine", key: "number", columns: tail(QuarantineTable.columns)) { row in
            guard QuarantineTable.record(row) != nil else {
                return tell("the quarantined record \(row.integer(0)) was taken out: it cannot be read")
            }
            for column in [0, 1, 3, 4, 7, 8] as [Int32] { put.bind(column + 1, row.integer(column)) }
            put.bind(3, text: row.text(2))
            put.bind(6, text: row.optionalText(5))
            put.bind(7, row.optionalInteger(6))
            put.bind(10, blob: Array(row.borrowedBytes(9)))
            try put.run()
            recordCount += 1
        }
        let counters = try CounterTable(target)
        _ = try scan.run("SELECT name, value FROM counters", nil) { row in
            let name = row.text(0).description
            guard name != LogIdentity.counter, name != CounterTable.quarantineCount, let own = counter(name) else {
                return
            }
            try counters.write(own, row.integer(1))
        }
        try counters.write(CounterTable.quarantineCount, recordCount)
        try copyEvicted()
    }

    /// The name of a counter that may hold a library's number.
    private func counter(_ name: String) -> String? {
        let prefix = "answered_through_"
        guard name.hasPrefix(prefix) else { return name }
        guard let old = LibraryIndex(name.dropFirst(prefix.count)), let new = names.libraryNumbers[old] else {
            return nil
        }
        return CounterTable.answeredThrough(new)
    }

    /// Their hashes hold the numbers of library and type: under others they mean other keys.
    private func copyEvicted() throws {
        guard version >= 4 else { return }
        guard !names.areRenumbered, names.lostLibraries.isEmpty else {
            return tell("what was evicted is forgotten: reads call it absent")
        }
        let put = try PreparedStatement(
            target, "INSERT OR IGNORE INTO evicted (number, library, is_back, hashes, checksum) VALUES (?, ?, ?, ?, ?)")
        _ = try scan.numbered("evicted", key: "number", columns: "library, is_back, hashes, checksum") { row in
            let hashes = Array(row.borrowedBytes(3))
            guard EvictedTable.checksum(row.integer(0), row.integer(1), row.integer(2), hashes) == row.integer(4) else {
                return tell("row \(row.integer(0)) of the evicted keys was taken out: reads call them absent")
            }
            for column in [0, 1, 2, 4] as [Int32] { put.bind(column + 1, row.integer(column)) }
            put.bind(4, blob: hashes)
            try put.run()
        }
    }

    /// Indexes are begun anew; who opens the file next, as the repair does, builds them.
    private func copyIndexes() throws {
        guard version >= 5 else { return }
        let table = try FieldIndexTable(target)
        let columns = "type, path, state, built_library, built_id, checksum"
        _ = try scan.numbered("indexes", key: "number", columns: columns) { row in
            guard var record = FieldIndexTable.checked(row) else {
                return tell(
                    "index \(row.integer(0)), whose record fails its check, was taken out",
                    advice: "declare it again with --index")
            }
            guard record.state != .dropping else { return }
            record.state = .building
            record.built = nil
            try table.write(record)
        }
    }

    private func writeNames() throws {
        let types = try TypeTable(target)
        for (index, name) in names.types.enumerated() { try types.write(TypeIndex(index), name) }
        let libraries = try LibraryTable(target)
        let counts = kept.reduce(into: [:]) { $0[$1.library, default: Int64(0)] += 1 }
        for var record in names.libraries {
            let count = counts[record.index] ?? 0
            if lostCounts[record.index] ?? 0 > 0 {
                record.isStale = true
                tell(
                    "library \"\(record.name)\" and its queries are stale now", advice: "refresh them, or feed its log")
            } else if record.entityCount != count {
                tell("library \"\(record.name)\" counted \(record.entityCount) entities; it has \(count)")
            }
            record.entityCount = count
            try libraries.write(record, lostBefore: [])
        }
    }

    /// The columns behind the first one.
    private func tail(_ columns: String) -> String {
        columns.split(separator: ",").dropFirst().joined(separator: ",")
    }
}
