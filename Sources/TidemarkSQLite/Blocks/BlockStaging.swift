import TidemarkModel
import TidemarkStore

/// Writes the blocks of one flush: for its own rows, and for copies of live entities in blocks that are merged.
///
/// Copies get higher numbers than the flush's own blocks, and only the newest version of a key is copied. So of several
/// versions, the one in the block with the highest number is the newest.
final class BlockStaging {
    /// A block that is being filled, and its ordinal, which is reserved with the first entity.
    private struct Building {
        var builder: BlockBuilder
        var ordinal = 0
    }

    private let table: BlockTable
    private let index: BlockIndex
    private let packers: BlockPackers
    /// The full blocks that are not packed yet.
    private var waiting: [FilledBlock] = []
    private let unpacker: BlockUnpacker
    let dictionaries: BlockDictionaries
    var flush: StagedFlush
    private(set) var sizer: BlockSizer
    /// The keys that had no version before the flush.
    private(set) var newKeys: [StoredKey] = []
    /// The blocks that are being filled: one for each library and type among the flush and the merged blocks.
    private var buildings: [Building] = []
    /// The index of a building by library and type.
    private var places: [UInt32: Int] = [:]

    init(_ store: BlockStore, _ dictionaries: BlockDictionaries, lastNumber: Int64) {
        table = store.table
        index = store.index
        packers = store.packers
        unpacker = store.unpacker
        sizer = store.sizer
        self.dictionaries = dictionaries
        flush = StagedFlush(lastNumber: lastNumber)
    }

    // MARK: The flush's own rows

    /// Writes the rows of a flush.
    ///
    /// - Throws: ``SQLiteError``.
    func write(_ batch: FlushBatch) throws {
        flush.changes.reserveCapacity(batch.rows.count)
        try batch.bytes.withUnsafeBytes { bytes in
            // Removals first: an entity that was removed and created again has both.
            var removed: Set<KeyHash> = []
            for row in batch.rows where row.change == .delete {
                if let hash = try remove(row, in: bytes) { removed.insert(hash) }
            }
            for row in batch.rows where row.change != .delete {
                let key = BlockKey(row, in: bytes)
                let hash = index.hash(key)
                if row.change == .stamp {
                    try renewStamps(of: row, key, hash, in: bytes)
                    continue
                }
                if place(of: hash) == nil {
                    newKeys.append(row.storedKey(id: key.id))
                } else if row.change == .insert, !removed.contains(hash) {
                    flush.outcome.replacedCounts[row.library, default: 0] += 1
                }
                try add(BlockEntity(row, in: bytes), key, hash)
            }
        }
        try finish()
    }

    /// Adds a removal for a key; a key without a version needs none.
    ///
    /// - Returns: The hash of the key; nil when it had no version.
    private func remove(_ row: FlushRow, in bytes: UnsafeRawBufferPointer) throws -> KeyHash? {
        let key = BlockKey(row, in: bytes)
        let hash = index.hash(key)
        guard place(of: hash) != nil else { return nil }
        try add(BlockEntity(row, in: bytes), key, hash)
        return hash
    }

    /// Writes an entity again whose payload has not changed. A damaged one stays as it is, and is reported.
    private func renewStamps(
        of row: FlushRow, _ key: BlockKey, _ hash: KeyHash, in bytes: UnsafeRawBufferPointer
    ) throws {
        let storedKey = row.storedKey(id: key.id)
        let location = place(of: hash) == nil ? nil : index.location(of: hash)
        let stored: BlockStoredEntity
        do {
            guard let location, let body = try table.body(number: location.number) else {
                throw PayloadError.rowMissing
            }
            stored = try entity(of: body, at: location)
            // Another key with the same hash has taken the position, so this one counts as absent.
            guard stored.key == storedKey else { throw PayloadError.rowMissing }
        } catch let fault as PayloadError {
            flush.outcome.damaged.append(.init(key: storedKey, row: location?.number ?? 0, fault: fault))
            return
        }
        try stored.payload.withUnsafeBytes { payload in
            var entity = BlockEntity(row, in: bytes)
            entity.content = .payload(payload, fields: row.fields(in: bytes), isReduced: row.isReduced)
            try add(entity, key, hash)
        }
    }

    private func entity(of body: [UInt8], at location: BlockIndex.Location) throws(PayloadError) -> BlockStoredEntity {
        let content = try BlockContent(
            body, number: location.number, unpacker: unpacker, dictionaries: dictionaries.byNumber)
        guard location.place.position < content.directory.entries.count else { throw PayloadError.lengthMismatch }
        return try content.entity(at: location.place.position)
    }

    /// Returns the position of a key's newest version before the flush; nil also in libraries that the flush clears.
    private func place(of hash: KeyHash) -> BlockPlace? {
        guard let place = index.place(of: hash), !flush.clearedOrdinals.contains(place.ordinal) else { return nil }
        return place
    }

    // MARK: Clearing

    /// Deletes all blocks of libraries. Their keys leave the index at the commit.
    ///
    /// - Throws: ``SQLiteError``.
    /// - Complexity: O(blocks of the file).
    func clear(_ libraries: [LibraryIndex]) throws {
        guard !libraries.isEmpty else { return }
        let blocks = index.withState { state in
            var found: [(ordinal: Int, number: Int64)] = []
            state.ledger.forEach { ordinal, block in
                if libraries.contains(block.library) { found.append((ordinal, block.number)) }
            }
            return found
        }
        for block in blocks { try table.remove(number: block.number) }
        flush.clearedOrdinals = Set(blocks.map(\.ordinal))
    }

    // MARK: Merging

    /// Copies the live entities of a block, and deletes it.
    ///
    /// - Parameter storedThrough: Every stored segment includes the blocks up to this number, so removals in them are
    ///   no longer needed.
    func merge(_ block: VictimBlock, storedThrough: Int64) throws {
        guard case .success(let content) = block.content,
            content.directory.entries.count == content.directory.head.count
        else {
            flush.unreadable.append(block.ordinal)
            flush.mergedEntityCount += 1
            return
        }
        try copy(content, of: block.ordinal, number: block.number, storedThrough: storedThrough)
        try table.remove(number: block.number)
        let share = index.withState { $0.ledger[block.ordinal]?.share ?? 0 }
        flush.merged.append((block.ordinal, share))
    }

    /// Copies the readable entities of damaged blocks, and deletes the blocks.
    ///
    /// - Parameter numbers: The numbers of the blocks, after the index was rebuilt without what they lost.
    /// - Throws: ``SQLiteError``.
    func heal(_ numbers: [Int64]) throws {
        for number in numbers {
            if let body = try table.body(number: number),
                case .success(let content) = BlockSalvage.content(
                    of: body, number: number, unpacker: unpacker, dictionaries: dictionaries.byNumber)
            {
                let ordinal = content.directory.head.ordinal
                // The ordinal of a damaged head may be another block's.
                if index.withState({ $0.ledger[ordinal]?.number }) == number {
                    try copy(content, of: ordinal, number: number, storedThrough: 0)
                    flush.healedOrdinals.append(ordinal)
                }
            }
            try table.remove(number: number)
        }
        try finish()
    }

    /// Copies the live entities of a block.
    private func copy(_ content: BlockContent, of ordinal: Int, number: Int64, storedThrough: Int64) throws {
        let (library, type) = (content.directory.head.library, content.directory.head.type)
        for (position, entry) in content.directory.entries.enumerated() {
            flush.mergedEntityCount += 1
            try content.withID(at: position) { id in
                let key = BlockKey(library: library, type: type, isUUID: entry.isUUID, id: id)
                let hash = index.hash(key)
                let place = index.place(of: hash)
                if entry.isRemoval {
                    guard number > storedThrough, place == nil, !flush.changesKey(hash) else { return }
                } else {
                    guard place == BlockPlace(ordinal: ordinal, position: position), !flush.changesKey(hash)
                    else { return }
                }
                let copy = content.withStored(at: position) { _, id, data in
                    Result { try add(BlockEntity(copyOf: entry, id: id, data: data), key, hash) }
                }
                if let copy {
                    try copy.get()
                } else if !entry.isRemoval {
                    flush.changes.append(StagedFlush.Change(hash: hash, place: nil, ordinal: 0))
                    flush.lostCount += 1
                }
            }
        }
    }

    // MARK: Blocks

    private func add(_ entity: BlockEntity, _ key: BlockKey, _ hash: KeyHash) throws {
        let slot = UInt32(key.library.rawValue) << 16 | UInt32(key.type.rawValue)
        let building: Int
        if let known = places[slot] {
            building = known
        } else {
            building = buildings.count
            buildings.append(Building(builder: BlockBuilder(library: key.library, type: key.type)))
            places[slot] = building
        }
        if !buildings[building].builder.hasRoom(for: entity) { try close(building) }
        if buildings[building].builder.count == 0 {
            guard let ordinal = index.withState({ $0.ledger.reserve() }) else {
                throw SQLiteError.full("the file has all the blocks that it can have")
            }
            flush.reservedOrdinals.append(ordinal)
            buildings[building].ordinal = ordinal
        }
        let (ordinal, position) = (buildings[building].ordinal, buildings[building].builder.count)
        let place = entity.isRemoval ? nil : BlockPlace(ordinal: ordinal, position: position)
        buildings[building].builder.add(entity)
        flush.changes.append(StagedFlush.Change(hash: hash, place: place, ordinal: ordinal))
        if buildings[building].builder.isFull(ratio: sizer.ratio(of: key.type)) { try close(building) }
    }

    /// Writes the blocks that are being filled.
    func finish() throws {
        for building in buildings.indices where buildings[building].builder.count > 0 { try close(building) }
        try writeWaiting()
    }

    private func close(_ building: Int) throws {
        let type = buildings[building].builder.type
        guard flush.lastNumber < BlockPlace.numberMax else {
            // A sound file lasts 60 years at a thousand numbers a second.
            throw SQLiteError.damaged("the file has given all the numbers that blocks can have")
        }
        flush.lastNumber += 1
        waiting.append(
            buildings[building].builder.take(
                number: flush.lastNumber, ordinal: buildings[building].ordinal, dictionary: dictionaries.byType[type]))
        // The first block of a type shows how large the next ones will be.
        if waiting.count == BlockPackers.batchCount || !sizer.knows(type) { try writeWaiting() }
    }

    private func writeWaiting() throws {
        guard !waiting.isEmpty else { return }
        for block in packers.pack(waiting) {
            try table.put(block)
            sizer.note(block, of: block.type)
            flush.blocks.append(
                StagedFlush.Block(
                    ordinal: block.ordinal,
                    entry: BlockLedger.Block(
                        number: block.number, byteCount: UInt32(block.bytes.count), library: block.library,
                        count: UInt8(block.count)),
                    removalCount: block.removalCount))
        }
        waiting.removeAll(keepingCapacity: true)
        Processor.yield()
    }
}

extension BlockKey {
    /// - Parameter bytes: The ``/TidemarkStore/FlushBatch/bytes`` of the row's flush.
    init(_ row: FlushRow, in bytes: UnsafeRawBufferPointer) {
        self.init(library: row.library, type: row.type, isUUID: row.isUUID, id: row.id(in: bytes))
    }
}
