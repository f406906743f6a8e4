import GRDB
import Tidemark
import TidemarkHTTPRecords
import TidemarkModel
import TidemarkStore

/// The connection that writes a data file, with its prepared statements.
///
/// Only its owner, ``SQLiteJournal``, may use it. Its errors are ``SQLiteError``, `DatabaseError` or
/// ``/Tidemark/StorageError``; the journal converts them to storage errors.
final class JournalDatabase {
    let file: DataFilePath
    let configuration: SQLiteJournal.Configuration
    let queue: DatabaseQueue
    /// True if another process writes the file.
    private(set) var isReadOnly = false
    var memory = JournalMemory()
    private var trainer: DictionaryTrainer
    /// True if commits also flush the drive's cache; see ``setBarrier(_:_:)``.
    private var hasBarrier = false
    /// True if the next flush contains everything and replaces the stored contents.
    var discardsContents = false
    /// The totals of stored HTTP responses, and the confirmations that are not written yet.
    var http = HTTPMemory()
    var httpLimits = HTTPLimits()
    /// The state of stored HTTP responses that callers share.
    var httpLedger = HTTPLedger()
    /// True if free pages can be removed from the file; false for a file that 0.1.0 created.
    private(set) var canShrink = false
    /// True while free pages are being returned: more than half of the file was free, and more than an eighth still is.
    var isGivingBack = false
    /// True until the index of entities is loaded; damage may still be found.
    var isOpening = false
    /// The loss found after ``recover()``; nil when there is none or it was taken.
    var loss: OpeningLoss?
    /// True if the entities are in rows and may be moved to blocks.
    var canMove = false
    /// The prepared statements; nil before ``recover()`` and after ``close()``, because statements must be freed before
    /// their connection.
    private var statements: JournalStatements?

    /// Opens a Tidemark file of any format up to the current one.
    ///
    /// - Parameter file: An existing file whose header and schema were checked. The caller holds its lock.
    init(_ file: DataFilePath, _ configuration: SQLiteJournal.Configuration) throws {
        self.file = file
        self.configuration = configuration
        trainer = DictionaryTrainer(
            configuration.compression, sampleCountMin: configuration.dictionarySampleCountMin)
        try configuration.fileProtection?.protect(file)
        queue = try DataFileConnection.open(file.path)
        if configuration.encryption != nil {
            try queue.writeWithoutTransaction(JournalDatabase.mendSealedHeader)
        }
        // For a file of the current format the migrator writes nothing.
        try DataFileSchema.migrator().migrate(queue)
        try queue.writeWithoutTransaction { db in
            let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            guard mode == "wal" else {
                throw SQLiteError(code: 10, message: "the file system cannot keep a write-ahead log (\(mode ?? ""))")
            }
            // FULL: COMMIT returns after fsync. GRDB's own WAL set-up chooses NORMAL, which is why it is not used.
            for pragma in [
                "synchronous = FULL", "wal_autocheckpoint = \(DataFile.checkpointPageCount)",
                "cache_size = -\(DataFile.cacheKibibyteCount)",
                "journal_size_limit = \(DataFile.pageByteCount * DataFile.checkpointPageCount)",
            ] {
                try db.execute(sql: "PRAGMA \(pragma)")
            }
            try DataFileSchema.upgradeBlocks(db)
            try DataFileSchema.declare([configuration.compression], db)
            canShrink = try Int.fetchOne(db, sql: "PRAGMA auto_vacuum") == 2
            DataFileConnection.removeAuthorizer(db)
        }
    }

    /// Opens a file that another process writes, for reading only.
    ///
    /// - Parameter file: An existing file whose header and schema were checked.
    init(following file: DataFilePath, _ configuration: SQLiteJournal.Configuration) throws {
        self.file = file
        self.configuration = configuration
        trainer = DictionaryTrainer(
            configuration.compression, sampleCountMin: configuration.dictionarySampleCountMin)
        isReadOnly = true
        queue = try DataFileConnection.openForReading(file.path)
        queue.inDatabase(DataFileConnection.removeAuthorizer)
    }

    /// The bytes in memory for finding entities.
    var memoryByteCount: Int { statements?.entities.memoryByteCount ?? 0 }

    /// The running opening of the index of entities; nil when there is none.
    var opening: BackgroundOpening? { statements?.entities.opening }

    // MARK: The journal's work

    /// Reads the stored state without the entities.
    ///
    /// - Parameter earlier: What an earlier connection of the same journal knew of stored HTTP responses; nil when the
    ///   file is opened for the first time. Responses of an ended session are then removed.
    /// - Complexity: Independent of the number of entities.
    func recover(continuing earlier: HTTPMemory? = nil) throws -> RecoveredState {
        let (state, damaged) = try queue.writeWithoutTransaction { db in
            guard let connection = db.sqliteConnection else { throw closed }
            var statements = try prepareStatements(connection, inBackground: configuration.opensInBackground)
            let damage = statements.entities.openingDamage
            if let damage { try heal(damage, db, statements) }
            http = try earlier ?? HTTPMemory(try CounterTable.read(connection), connection)
            var (state, damaged) = try readState(connection, statements)
            if !isReadOnly {
                try moveEntitiesAtOpening(db, statements)
                statements = try openStatements()
                state.lastRow = try statements.entities.lastRow()
                state.isOpening = isOpening
            }
            return (state, damaged + (damage?.rows ?? []))
        }
        if !isReadOnly, earlier == nil { try sweepHTTP() }
        report(damaged)
        return state
    }

    /// Prepares the statements for the form in which entities are stored now.
    ///
    /// - Parameter inBackground: True if another thread may read the index of entities.
    @discardableResult
    func prepareStatements(_ connection: OpaquePointer, inBackground: Bool = false) throws -> JournalStatements {
        let (concurrentReads, path) = (configuration.concurrentReads, file.path)
        let blocks = EntityBlocks.Options(
            path: path, compression: configuration.compression, readsAhead: configuration.enqueue == nil,
            beginsOpening: inBackground && configuration.enqueue == nil ? configuration.onOpening : nil
        ) { index in concurrentReads.open(path: path, index) }
        let statements = try JournalStatements(
            connection, compression: configuration.compression, isReadOnly: isReadOnly, blocks: blocks)
        self.statements = statements
        isOpening = statements.entities.opening != nil
        canMove = !isReadOnly && statements.layout == .rows
        if statements.layout == .rows { concurrentReads.open(path: path, nil) }
        if statements.layout == .blocks {
            // Blocks are appended, so writing needs few pages again.
            let pragma = "PRAGMA cache_size = -\(DataFile.blockCacheKibibyteCount)"
            _ = try PreparedStatement(connection, pragma).step()
        }
        return statements
    }

    func readState(
        _ connection: OpaquePointer, _ statements: JournalStatements
    ) throws -> (RecoveredState, [DamagedRow]) {
        var state = RecoveredState()
        state.libraries = try LibraryTable.read(connection)
        state.types = try TypeTable.read(connection)
        let tombstones = try TombstoneTable.read(
            connection, libraryCount: state.libraries.count, typeCount: state.types.count)
        state.tombstones = tombstones.tombstones
        state.lastRow = try statements.entities.lastRow()
        let counters = try CounterTable.read(connection)
        state.counts = try CounterTable.counts(counters)
        // Stored HTTP responses have times of the same clock, and are written without a flush.
        state.lastTakenAt = [CounterTable.takenAt, HTTPMemory.answeredCounter].compactMap { name in
            counters[name].flatMap { StoredNumber.isMoment($0) ? $0 : nil }
        }.max()
        for index in state.libraries.indices {
            let answered = counters[CounterTable.answeredThrough(LibraryIndex(index))] ?? -1
            if answered >= 0 { state.libraries[index].answeredThrough = EventSequence(answered) }
            let forgotten = counters[CounterTable.forgottenThrough(LibraryIndex(index))] ?? -1
            if forgotten >= 0 { state.libraries[index].forgottenThrough = EventSequence(forgotten) }
            state.libraries[index].isStaleByLossAlone = counters[CounterTable.staleByLoss(LibraryIndex(index))] == 1
            state.libraries[index].isUnknowable = counters[CounterTable.unknowable(LibraryIndex(index))] == 1
            state.libraries[index].isInState = counters[CounterTable.inState(LibraryIndex(index))] == 1
            state.libraries[index].isSourceStale = counters[CounterTable.sourceStale(LibraryIndex(index))] == 1
            let stale = counters[CounterTable.staleThrough(LibraryIndex(index))] ?? -1
            if stale >= 0 { state.libraries[index].staleThrough = EventSequence(stale) }
        }
        state.ignoredKinds = try CounterTable.ignoredKinds(connection)
        let dictionaries = try DictionaryTable.read(connection)

        var memory = JournalMemory()
        memory.libraryNames = state.libraries.map(\.name)
        memory.typeNames = state.types
        for record in state.libraries {
            if !record.lost.isEmpty { memory.lost[record.index] = record.lost }
            memory.places[record.index] = LibraryPlaces(record)
            memory.entityCounts[record.index] = record.entityCount
        }
        for (_, dictionary) in dictionaries.dictionaries.sorted(by: { $0.key < $1.key }) { memory.add(dictionary) }
        memory.mustScrub = counters[JournalDatabase.erasingCounter] == 1
        memory.lastDictionary = dictionaries.lastNumber
        memory.lastTombstone = tombstones.lastNumber
        memory.lastQuarantine = max(
            try CounterTable.count(CounterTable.quarantineNumber, in: counters),
            try StoredNumber.count(
                max(0, try PreparedStatement.number(connection, "SELECT max(number) FROM quarantine") ?? 0),
                "the last number in quarantine"))
        memory.quarantineCount = Int(try CounterTable.count(CounterTable.quarantineCount, in: counters))
        var damaged = dictionaries.damaged.map {
            DamagedRow(row: $0, kind: .dictionary, fault: .checksumMismatch)
        }
        try QueryTable.forEach(connection, libraryCount: state.libraries.count, typeCount: state.types.count) { query in
            switch query {
            case .record(let record): state.queries.append(record)
            case .damaged(let row): damaged.append(row)
            }
            return true
        }
        memory.damagedQueries = damaged.filter { $0.kind == .query }.map(\.row)
        // The number of a damaged row cannot be trusted. The counter is safe: it was written with the row or before it.
        memory.lastQuery = max(
            try CounterTable.count(CounterTable.queryNumber, in: counters), state.queries.last?.number ?? 0)
        state.lastQuery = memory.lastQuery
        let indexes = try FieldIndexTable.read(connection)
        memory.setIndexes(indexes.records)
        memory.damagedIndexes = indexes.damaged
        damaged += indexes.damaged.map { DamagedRow(row: $0, kind: .index, fault: .checksumMismatch) }
        var names = LayerNames(libraries: memory.libraryNames, types: memory.typeNames)
        try LayerTable.forEach(connection, &names) { layer in
            switch layer {
            case .record(let record): state.layers.append(record)
            case .sent(let record): state.sentRequests.append(record)
            case .renaming(let record): state.renamings.append(record)
            case .damaged(let row): damaged.append(row)
            }
            return true
        }
        memory.damagedLayers = damaged.filter { $0.kind == .layer }.map(\.row)
        try memory.readEvicted(connection, into: &state, &damaged)
        self.memory = memory
        return (state, damaged)
    }

    /// Writes a flush in one transaction.
    ///
    /// With FULL, COMMIT returns after fsync. GRDB's own WAL set-up chooses NORMAL and is therefore not used.
    func commit(_ flush: FlushBatch) throws {
        try finishOpening()
        try moveEntities(before: flush)
        let (erasures, attached) = JournalDatabase.erasures(in: flush.attached)
        let typesOutside = try typesOutside(erasures)
        let statements = try openStatements()
        // A flush that failed may have left an unfinished batch.
        statements.encoder.startBatch()
        let trained = trainer.dictionaries(
            for: flush, dictionaryTypes: Set(memory.dictionaryByType.keys), encoder: statements.encoder)
        var next = discardsContents ? memory.withoutContents : memory
        var nextHTTP = discardsContents ? HTTPMemory() : http
        var outcome = EntityOutcome()
        var written: HTTPWriting?
        try queue.writeWithoutTransaction { db in
            try setBarrier(flush.needsSync, db)
            try statements.entities.inTransaction(db) {
                if discardsContents { try discardContents(db) }
                for (type, bytes) in trained.sorted(by: { $0.key < $1.key }) {
                    let dictionary = PayloadDictionary(number: next.lastDictionary + 1, type: type, bytes: bytes)
                    try statements.dictionaries.write(dictionary, now: configuration.now())
                    try statements.counters.write(
                        CounterTable.dictionarySamples(dictionary.number), Int64(trainer.sampleCount(of: type)))
                    next.add(dictionary)
                }
                for library in flush.clearedLibraries {
                    try statements.tombstones.clear(library)
                    next.entityCountCorrections[library] = nil
                }
                if !flush.newTypes.isEmpty { next.setIndexes(next.indexes, newTypes: flush.newTypes) }
                outcome = try statements.entities.write(flush, next)
                for (library, count) in outcome.replacedCounts {
                    next.entityCountCorrections[library, default: 0] += count
                }
                try writeRecords(flush, statements, &next)
                try erase(erasures, keeping: typesOutside, statements, &next)
                let rest = try RecordTable.write(attached, into: statements.connection)
                if !rest.isEmpty || !nextHTTP.updates.isEmpty {
                    let changes = rest.map(httpChange)
                    written = try writeHTTP(changes, statements, &nextHTTP)
                }
            }
        }
        memory = next
        http = nextHTTP
        if let written { tell(written) }
        discardsContents = false
        trainer.forget(trained.keys)
        report(outcome.damaged.map { DamagedRow(key: memory.entityKey($0.key), row: $0.row, fault: $0.fault) })
    }

    /// Turns the barrier on or off. It can only be changed between transactions.
    ///
    /// Every COMMIT returns after fsync. On macOS fsync does not flush the drive's own cache, which is not enough for
    /// an edit that was reported as safe; `fullfsync` flushes it, too. On other systems SQLite ignores the setting.
    private func setBarrier(_ isNeeded: Bool, _ db: Database) throws {
        guard isNeeded != hasBarrier else { return }
        try db.execute(sql: "PRAGMA fullfsync = \(isNeeded ? "ON" : "OFF")")
        hasBarrier = isNeeded
    }

    /// Copies the log back into the main file, and closes the connection.
    ///
    /// - Parameter tidies: Whether to merge blocks and to return free pages first.
    /// - Throws: An error when the log could not be copied back. The connection is closed even then, and nothing is
    ///   lost.
    func close(tidies: Bool = true) throws {
        do {
            try writeUses()
            if tidies { try tidyUp() }
        } catch {
            // Uses only decide which responses are evicted first, and free pages are used later, so closing continues
            // without both.
        }
        configuration.concurrentReads.close()
        statements = nil
        var failure: (any Error)?
        do {
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
        } catch {
            failure = error
        }
        try queue.close()
        if let failure { throw failure }
    }

    /// Frees the prepared statements, because the connection is about to be closed.
    func releaseStatements() { statements = nil }

    func openStatements() throws -> JournalStatements {
        guard let statements else { throw closed }
        return statements
    }

    func report(_ rows: [DamagedRow]) {
        for row in rows { configuration.onDamagedRow(row) }
    }

    var closed: StorageError {
        StorageError(.closed, "\(file.path) was closed", advice: "open it again")
    }
}
