import GRDBSQLite
import TidemarkModel
import TidemarkStore

/// The entities of a data file in blocks: the tables `blocks`, `segments`, `changes` and `key_runs` of one connection,
/// and the index of keys.
///
/// ```
/// idle ── stage ──▶ staged ── publish ──▶ idle
///                          └── discard ──▶ idle
/// ```
/// The caller begins the transaction before ``stage(_:dictionaries:mergedCountMax:waits:)``, and ends it inside
/// ``publish(_:)`` or before ``discard()``. Owner: the thread that writes; each other thread that reads has a
/// ``BlockReader`` of its own.
///
/// - Source: docs/decisions/0020-past-memory.md.
final class BlockStore: KeyOrder {
    let configuration: Configuration
    let table: BlockTable
    let index: BlockIndex
    private let changes: ChangeTable
    private let keys: KeyRuns
    /// True if the next flush must rebuild the runs of keys: one is damaged, or the index was rebuilt.
    private var mustReplaceKeys: Bool
    let unpacker: BlockUnpacker
    let packers: BlockPackers
    private let victims: any VictimSource

    // The state of the writer as of the last commit; `sizer` only predicts.
    var planner: MergePlanner
    var removals: RemovalLedger
    var sizer = BlockSizer()
    /// The highest number that a block ever had.
    private(set) var lastNumber: Int64
    /// The last block that each stored segment includes.
    private var throughs: [Int64]
    /// The segment to write next.
    private var nextSegment: Int
    /// The number of changes since the last segment was written.
    private var changesBehindSegments = 0
    private var staged: StagedFlush?
    /// The damage found since the file was opened.
    private(set) var damage: Damage
    /// True if the index was rebuilt from the directories of all blocks, so that removed entities may have returned.
    let isRebuilt: Bool
    /// The numbers of the blocks that were found damaged at the rebuild.
    let damagedBlocks: [Int64]

    /// Creates a store from the result of an opening.
    ///
    /// - Parameters:
    ///   - connection: The writer's connection.
    ///   - victims: Reads the blocks to merge; nil to read them on this connection, without a thread.
    ///   - found: The result of an opening, unchanged since.
    /// - Throws: ``SQLiteError``.
    init(
        _ connection: OpaquePointer, _ configuration: Configuration, victims: (any VictimSource)? = nil,
        _ found: sending OpenedBlocks
    ) throws {
        self.configuration = configuration
        table = try BlockTable(connection)
        unpacker = try BlockUnpacker()
        packers = try BlockPackers(configuration.compression)
        self.victims = victims ?? VictimsInPlace(table, unpacker)
        planner = found.planner
        removals = found.removals
        lastNumber = found.lastNumber
        throughs = found.throughs
        // Writing continues at the oldest segment; otherwise a file that is opened often would never write all of them.
        nextSegment = found.throughs.indices.min { found.throughs[$0] < found.throughs[$1] } ?? 0
        damage = found.damage
        isRebuilt = found.isRebuilt
        damagedBlocks = found.damagedBlocks
        mustReplaceKeys = found.isRebuilt
        index = BlockIndex(found.state, seed: configuration.hashSeed)
        changes = try ChangeTable(connection)
        keys = try KeyRuns(connection)
        requestVictims()
    }

    /// Opens the tables: reads the stored index, and the directories of the blocks that it does not include.
    ///
    /// - Parameter dictionaries: For salvaging damaged blocks.
    /// - Throws: ``SQLiteError``.
    /// - Complexity: O(keys + blocks).
    convenience init(
        _ connection: OpaquePointer, _ configuration: Configuration, victims: (any VictimSource)? = nil,
        dictionaries: BlockDictionaries = BlockDictionaries()
    ) throws {
        let opening = try BlockOpening(connection, configuration, dictionaries: dictionaries.byNumber)
        try self.init(connection, configuration, victims: victims, opening.found)
    }

    deinit { victims.stop() }

    /// The number of keys that have a version.
    var entityCount: Int { index.withState { $0.places.count } }

    /// The bytes in memory for the index, the ledger and the planner, and the most for blocks that are read ahead for
    /// merging.
    var memoryByteCount: Int {
        index.withState { $0.places.byteCount + $0.ledger.byteCount } + planner.memoryByteCount
            + VictimReader.byteCountMax
    }

    /// The number of runs of keys.
    var keyRunCount: Int { keys.runCount }

    /// Begins a walk over keys in order. The next flush invalidates it.
    func keyWalk(after start: [UInt8]?) throws -> KeyWalk { try keys.walk(after: start) }

    /// Makes the next flush rebuild all runs.
    func noteDamagedRun() { mustReplaceKeys = true }

    /// Returns true if a key has a version as of the last commit.
    func hasVersion(_ key: StoredKey) -> Bool { index.place(of: key.withBlockKey { index.hash($0) }) != nil }

    /// The number of the last block that every stored segment includes.
    var storedThrough: Int64 { throughs.min() ?? 0 }

    // MARK: Writing

    /// Writes a flush in the current transaction: its blocks, copies of live entities of blocks that are merged,
    /// segments in turn, and new keys. First deletes all blocks of the libraries that it clears.
    ///
    /// - Parameters:
    ///   - flush: Its rows and cleared libraries. For a row that is a stamp, the payload is read and written again.
    ///   - dictionaries: Every dictionary of the file.
    ///   - mergedCountMax: The most entities of blocks being merged; nil to derive it from the rows of the flush.
    ///   - waits: True to wait for blocks that are being read; false to wait only when too much is dead.
    /// - Returns: The replaced entities, and the stamps that could not be renewed.
    /// - Throws: ``SQLiteError``. The caller then rolls the transaction back and calls ``discard()``.
    /// - Complexity: O(rows + bytes), and as much for each entity that is merged, at most
    ///   ``Configuration/mergedCountPerChange`` for each row; with a cleared library O(keys).
    func stage(
        _ flush: FlushBatch, dictionaries: BlockDictionaries, mergedCountMax: Int? = nil, waits: Bool = false
    ) throws -> EntityOutcome {
        // No input reaches it: it guards the order of calls inside this module.
        precondition(staged == nil, "a flush is staged already")
        let staging = BlockStaging(self, dictionaries, lastNumber: lastNumber)
        // Reserved ordinals are returned even if writing fails.
        defer {
            staged = staging.flush
            sizer = staging.sizer
        }
        try staging.clear(flush.clearedLibraries)
        try staging.write(flush)
        try merge(staging, quota: mergedCountMax ?? flush.rows.count * configuration.mergedCountPerChange, waits: waits)
        try writeSegments(&staging.flush)
        try writeChanges(staging.flush)
        try writeKeys(staging.newKeys)
        return staging.flush.outcome
    }

    /// Writes what a rebuilt index needs, in the current transaction: whole blocks in place of the damaged ones, all
    /// segments, and all keys in order. The next opening then finds no damage.
    ///
    /// - Throws: ``SQLiteError``. The caller then rolls the transaction back and calls ``discard()``.
    /// - Complexity: O(keys + blocks).
    func stageHealing(dictionaries: BlockDictionaries) throws {
        // No input reaches it: it guards the order of calls inside this module.
        precondition(staged == nil, "a flush is staged already")
        let staging = BlockStaging(self, dictionaries, lastNumber: lastNumber)
        defer {
            staged = staging.flush
            sizer = staging.sizer
        }
        try staging.heal(damagedBlocks)
        try writeSegments(&staging.flush, count: KeyPlaceIndex.segmentCount)
        try writeChanges(staging.flush)
        mustReplaceKeys = true
        try writeKeys([])
    }

    private func writeChanges(_ flush: StagedFlush) throws {
        try changes.write(
            flush, after: lastNumber, storedThrough: storedThrough, seed: configuration.hashSeed)
    }

    private func writeKeys(_ newKeys: [StoredKey]) throws {
        if !mustReplaceKeys {
            do {
                try keys.stage(newKeys) { key in
                    index.place(of: key.withBlockKey { index.hash($0) }) == nil
                }
                return
            } catch is PayloadError {
                mustReplaceKeys = true
            }
        }
        try keys.replaceAll { try forEachGroupOfKeys($0) }
    }

    /// Merges blocks that were read for that, until the quota is used up.
    private func merge(_ staging: BlockStaging, quota: Int, waits: Bool) throws {
        let quota = quota + BlockCodec.entityCountMax
        while staging.flush.mergedEntityCount < quota {
            let blocks = try victims.take(
                countMax: BlockStore.takenCount, waits: waits || planner.mustWait,
                dictionaries: staging.dictionaries.byNumber)
            guard !blocks.isEmpty else { break }
            for block in blocks {
                // If a library was cleared since the block was read, the block is deleted, and another may have its
                // ordinal.
                guard index.withState({ $0.ledger[block.ordinal]?.number }) == block.number else { continue }
                staging.flush.takenOrdinals.append(block.ordinal)
                guard !staging.flush.clearedOrdinals.contains(block.ordinal) else { continue }
                try staging.merge(block, storedThrough: storedThrough)
            }
        }
        try staging.finish()
    }

    /// Writes segments as of the last commit.
    ///
    /// Writes as many as it takes for all to be written during half as many changes as there are entities, and at least
    /// one, which preserves the highest number when its block is deleted. If a library is cleared, writes all segments,
    /// without its keys; otherwise an opening would find positions without blocks.
    private func writeSegments(_ flush: inout StagedFlush, count: Int? = nil) throws {
        let changeCount = changesBehindSegments + flush.changes.count
        let perSegment = max(1, max(entityCount, configuration.entityCountMin) / 2 / KeyPlaceIndex.segmentCount)
        let cleared = flush.clearedOrdinals
        let due =
            cleared.isEmpty
            ? min(max(1, changeCount / perSegment), KeyPlaceIndex.segmentCount) : KeyPlaceIndex.segmentCount
        let count = count ?? due
        let seed = StoredSegment.seed(of: configuration.hashSeed, through: lastNumber)
        for offset in 0..<count {
            let segment = (nextSegment + offset) % KeyPlaceIndex.segmentCount
            let bytes = index.withState { state in
                let ledger = state.ledger
                return state.places.stored(segment: segment, seed: seed) {
                    cleared.contains($0.ordinal)
                } number: {
                    // Between two flushes, every position has a block.
                    ledger[$0]?.number ?? 0
                }
            }
            try table.putSegment(segment, through: lastNumber, bytes)
            flush.segments.append(segment)
        }
        flush.changesBehindSegments = max(0, changeCount - count * perSegment)
    }

    /// How many blocks to merge are taken at a time.
    private static let takenCount = 16

    // MARK: The end of a transaction

    /// Commits what was staged, and makes it visible.
    ///
    /// - Parameter commit: Commits the transaction.
    /// - Throws: The error of `commit`; then the caller rolls back and calls ``discard()``.
    func publish(_ commit: () throws -> Void) throws {
        // No input reaches it: it guards the order of calls inside this module.
        guard let flush = staged else { preconditionFailure("no flush is staged") }
        var dead: [(ordinal: Int, byteCount: Int)] = []
        try index.publish(
            commit: commit,
            first: { state in
                state.clear(flush.clearedOrdinals)
                for block in flush.blocks {
                    let isFree = state.ledger.add(block.entry, ordinal: block.ordinal)
                    // No input reaches it: the ordinal was reserved.
                    precondition(isFree, "ordinal \(block.ordinal) has a block")
                }
            }, changes: flush.changes
        ) { state, change in
            let before =
                change.place.map { state.places.set($0, of: change.hash) } ?? state.places.remove(change.hash)
            guard let before, let block = state.ledger[before.ordinal] else { return }
            dead.append((before.ordinal, block.share))
        } last: { state in
            for merged in flush.merged { state.ledger.remove(merged.ordinal) }
            for ordinal in flush.healedOrdinals { state.ledger.remove(ordinal) }
        }
        staged = nil
        keys.published()
        mustReplaceKeys = false
        note(flush, dead)
        requestVictims()
    }

    private func note(_ flush: StagedFlush, _ dead: [(ordinal: Int, byteCount: Int)]) {
        for block in flush.blocks {
            planner.wrote(block.ordinal, byteCount: block.entry.countedByteCount)
        }
        planner.committed()
        for ordinal in flush.clearedOrdinals {
            _ = removals.merged(ordinal: ordinal)
            planner.cleared(ordinal)
        }
        for (ordinal, byteCount) in dead { planner.died(in: ordinal, byteCount: byteCount) }
        for merged in flush.merged {
            let removalCount = removals.merged(ordinal: merged.ordinal)
            planner.died(in: merged.ordinal, byteCount: removalCount * merged.share)
            planner.gone(merged.ordinal)
        }
        for ordinal in flush.healedOrdinals {
            _ = removals.merged(ordinal: ordinal)
            planner.cleared(ordinal)
        }
        for ordinal in flush.unreadable { planner.setAside(ordinal) }
        damage.blockCount += flush.unreadable.count
        damage.entityCount += flush.lostCount
        for block in flush.blocks where block.removalCount > 0 {
            removals.add(ordinal: block.ordinal, number: block.entry.number, count: block.removalCount)
        }
        changesBehindSegments = flush.changesBehindSegments
        for segment in flush.segments { throughs[segment] = lastNumber }
        lastNumber = flush.lastNumber
        nextSegment = ((flush.segments.last ?? nextSegment - 1) + 1) % KeyPlaceIndex.segmentCount
        for (ordinal, count) in removals.stored(through: storedThrough) {
            guard let share = index.withState({ $0.ledger[ordinal]?.share }) else { continue }
            planner.died(in: ordinal, byteCount: count * share)
        }
    }

    /// Drops what was staged, after the transaction was rolled back.
    func discard() {
        guard let flush = staged else { return }
        staged = nil
        keys.discard()
        index.withState { state in
            for ordinal in flush.reservedOrdinals { state.ledger.giveBack(ordinal) }
        }
        for ordinal in flush.takenOrdinals { planner.kept(ordinal) }
    }

    private func requestVictims() {
        guard victims.requestedCount < configuration.victimCountMax / 2 else { return }
        request(planner.victims(countMax: configuration.victimCountMax))
    }

    /// Chooses blocks to merge while nothing else is to be done.
    ///
    /// - Returns: True if there is anything to merge.
    /// - Complexity: O(blocks).
    func requestVictimsAtRest() -> Bool {
        if victims.requestedCount == 0 { request(planner.victimsAtRest(countMax: configuration.victimCountMax)) }
        return victims.requestedCount > 0
    }

    private func request(_ ordinals: [Int]) {
        guard !ordinals.isEmpty else { return }
        let ledger = index.withState { state in
            ordinals.map { (ordinal: $0, number: state.ledger[$0]?.number ?? 0) }
        }
        victims.request(ledger.sorted { $0.number < $1.number })
    }
}
