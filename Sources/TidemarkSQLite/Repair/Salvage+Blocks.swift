import Tidemark
import TidemarkModel
import TidemarkStore

/// Copies the entities of blocks into new blocks.
extension Salvage {
    func copyBlocks() throws {
        var seed: UInt64 = 0
        _ = scan.run("SELECT value FROM counters WHERE name = '\(LogIdentity.counter)'", nil) {
            seed = UInt64(bitPattern: $0.integer(0))
        }
        let index = try SnapshotIndex(scan.connection, seed: seed, rescue: scan)
        try index.loadEverything()
        let writer = try SalvagedBlocks(target, dictionaries)
        let unpacker = try BlockUnpacker()
        var metCount = 0
        _ = try scan.numbered("blocks", key: "number", columns: "body") { row in
            let number = row.integer(0)
            guard
                case .success(let content) = BlockSalvage.content(
                    of: Array(row.borrowedBytes(1)), number: number, unpacker: unpacker, dictionaries: dictionaries)
            else { return }
            for (position, entry) in content.directory.entries.enumerated() where !entry.isRemoval {
                let old = content.key(at: position)
                guard let place = try index.location(of: index.hash(old)), place.number == number,
                    place.place.position == position
                else { continue }
                metCount += 1
                guard let key = names.key(old) else {
                    lose(old)
                    continue
                }
                try copy(content, position, old, as: key, writer)
            }
        }
        try writer.finish()
        reportBlocks(index, lostCount: index.entityCount() - metCount)
    }

    private func copy(
        _ content: BlockContent, _ position: Int, _ old: StoredKey, as key: StoredKey, _ writer: SalvagedBlocks
    ) throws {
        let stored = Result { () throws(PayloadError) in Optional(try content.entity(at: position)) }
        let fault: PayloadError
        switch BlockReads.answer(stored, key: old) {
        case .found(let entity) where isValid(entity.payload):
            var isReduced = false
            if case .success(let stored?) = stored { isReduced = stored.isReduced }
            try writer.add(entity, as: key, isReduced: isReduced)
            kept.insert(key)
            return
        case .damaged(_, let found): fault = found
        case .found, .absent: fault = .notJSON
        }
        lostCounts[key.library, default: 0] += 1
        let name = names.entityKey(key)
        report(
            "entity \(name.text) of library \"\(name.library)\" was removed: \(fault.rawValue)",
            advice: "fetch it again, or feed the library's log")
    }

    private func reportBlocks(_ index: SnapshotIndex, lostCount: Int) {
        for number in index.damagedBlocks.sorted() {
            report("block \(number) fails its check: the entities in it that pass theirs were kept")
        }
        if !index.areAllReached { report("some blocks could not be read: those on damaged pages were removed") }
        if lostCount > 0 {
            report("\(counted(lostCount, "entity is", "entities are")) in no block that can be read")
        }
        if !index.damagedSegments.isEmpty {
            report("the index of keys was damaged: entities that were deleted before may be there again")
        }
        guard !index.damagedBlocks.isEmpty || !index.areAllReached || lostCount > 0 || !index.damagedSegments.isEmpty
        else { return }
        loseSomewhere()
    }
}

/// Writes entities into the blocks of a new file, in a transaction of the caller. Owner: one repair.
final class SalvagedBlocks {
    private let store: BlockStore
    private let dictionaries: BlockDictionaries
    private var flush = FlushBatch()

    /// How many entities are written together.
    private static let flushCountMax = 4_096

    /// - Parameters:
    ///   - connection: A file of blocks without entities, inside a transaction.
    ///   - dictionaries: The dictionaries that it has, by number.
    /// - Throws: ``SQLiteError``.
    init(_ connection: OpaquePointer, _ dictionaries: [Int64: PayloadDictionary]) throws {
        self.dictionaries = BlockDictionaries(dictionaries)
        store = try BlockStore(
            connection, BlockStore.Configuration(hashSeed: try LogIdentity.hashSeed(connection)))
    }

    /// Adds an entity.
    ///
    /// - Parameter key: The key with the numbers that its library and type have in the new file.
    /// - Throws: ``SQLiteError``.
    func add(_ entity: StoredEntity, as key: StoredKey, isReduced: Bool) throws {
        flush.append(entity, as: key, isReduced: isReduced)
        if flush.rows.count == SalvagedBlocks.flushCountMax { try finish() }
    }

    /// Writes the added entities.
    ///
    /// - Throws: ``SQLiteError``.
    func finish() throws {
        guard !flush.rows.isEmpty else { return }
        _ = try store.stage(flush, dictionaries: dictionaries)
        // The caller commits everything at the end.
        try store.publish {}
        flush = FlushBatch()
    }
}

extension FlushBatch {
    /// Appends a stored entity as a new row.
    mutating func append(_ entity: StoredEntity, as key: StoredKey, isReduced: Bool) {
        let idOffset = bytes.count
        key.id.withBytes { bytes.append(contentsOf: $0) }
        let payloadOffset = bytes.count
        bytes += entity.payload
        let fieldsOffset = bytes.count
        bytes += entity.fields
        rows.append(
            FlushRow(
                row: 0, change: .insert, library: key.library, type: key.type, isUUID: key.id.isUUID,
                idOffset: idOffset, idCount: payloadOffset - idOffset, payloadOffset: payloadOffset,
                payloadCount: entity.payload.count, fieldsOffset: fieldsOffset, fieldsCount: entity.fields.count,
                sequence: entity.sequence, generation: entity.generation, writtenAt: entity.writtenAt,
                isReduced: isReduced))
    }
}
