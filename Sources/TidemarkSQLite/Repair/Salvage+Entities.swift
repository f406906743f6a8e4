import Tidemark
import TidemarkModel
import TidemarkStore

/// Copies entities, their dictionaries, and the tombstones of deleted ones.
extension Salvage {
    func copyDictionaries() throws {
        let put = try PreparedStatement(
            target,
            "INSERT OR IGNORE INTO dictionaries (dictionary, type, trained_at, checksum, body) VALUES (?, ?, ?, ?, ?)")
        let isWhole = try scan.numbered("dictionaries", key: "dictionary", columns: "type, trained_at, checksum, body")
        { row in
            let number = row.integer(0)
            let bytes = Array(row.borrowedBytes(4))
            guard let old = TypeIndex(exactly: row.integer(1)),
                PayloadDictionary.checksum(number: number, type: old, bytes: bytes) == row.integer(3)
            else {
                return report(
                    "dictionary \(number) fails its check and was removed",
                    advice: "nothing: its type gets another one, and the rows that needed it are named below")
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
        if !isWhole { report("some dictionaries could not be read: rows that needed one are named below") }
    }

    func copyEntities() throws {
        let putKey = try PreparedStatement(
            target, #"INSERT OR IGNORE INTO keys (library, type, id, "row") VALUES (?, ?, ?, ?)"#)
        let putRow = try PreparedStatement(
            target,
            #"INSERT OR IGNORE INTO entities ("row", sequence, generation, written_at, body) VALUES (?, ?, ?, ?, ?)"#)
        var rows = RowSet()
        var seen: Set<StoredKey> = []
        let isWhole = try scan.keyed("keys", columns: #""row""#, places: names.places) { row in
            guard let old = row.storedKey(from: 0) else {
                loseSomewhere()
                return report("a key that cannot be read was removed")
            }
            guard let key = names.key(old) else { return lose(old) }
            guard seen.insert(key).inserted else { return }
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
                report(
                    "entity \(name.text) of library \"\(name.library)\" was removed: \(fault.rawValue)",
                    advice: "fetch it again, or feed the library's log")
            }
        }
        guard !isWhole else { return }
        report(
            "some keys of entities could not be read: those on damaged pages were removed",
            advice: "feed the logs of all libraries from the start, or refresh their queries")
        loseSomewhere()
    }

    /// Records the loss of entities whose library is unknown: any library may lack them.
    func loseSomewhere() {
        isForgettingEverywhere = true
        for library in names.libraries { lostCounts[library.index, default: 0] += 1 }
    }

    /// Counts an entity whose type or library is lost, if its library is kept.
    func lose(_ old: StoredKey) {
        if let library = names.libraryNumbers[old.library] { lostCounts[library, default: 0] += 1 }
    }

    /// Copies the row of an entity.
    ///
    /// - Returns: Why the entity cannot be kept; nil when it was copied.
    private func copy(
        _ old: StoredKey, _ key: StoredKey, row number: Int64, _ put: PreparedStatement, _ rows: inout RowSet
    ) throws -> PayloadError? {
        var fault: PayloadError? = .rowMissing
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

    /// Returns the same body, with a new checksum if the numbers in its key have changed.
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

    func copyTombstones() throws {
        let put = try PreparedStatement(
            target,
            """
            INSERT OR IGNORE INTO tombstones (library, type, id, number, sequence, generation, deleted_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        let columns = "number, sequence, generation, deleted_at"
        let isWhole = try scan.keyed("tombstones", columns: columns, places: names.places) { row in
            guard let old = row.storedKey(from: 0), let generation = UInt32(exactly: row.integer(5)) else {
                isForgettingEverywhere = true
                return report("a tombstone that cannot be read was removed")
            }
            guard let key = names.key(old) else {
                if let library = names.libraryNumbers[old.library] { forgetting.insert(library) }
                return
            }
            guard !kept.contains(key) else {
                forgetting.insert(key.library)
                return report(
                    "the tombstone of \(names.entityKey(key).text) was removed: the entity is stored and passes its check"
                )
            }
            put.bind(key, from: 1)
            put.bind(4, row.integer(3))
            put.bind(5, row.optionalInteger(4))
            put.bind(6, Int64(generation))
            put.bind(7, row.integer(6))
            try put.run()
        }
        guard !isWhole else { return }
        isForgettingEverywhere = true
        report("some tombstones could not be read: late changes of entities that are not stored are held off")
    }
}
