import Tidemark
import TidemarkModel
import TidemarkStore

/// A run of ``JournalConformance``: the journal, its model, and the number of the flush.
struct JournalRun {
    private let conformance: JournalConformance
    private let seed: UInt64
    private var journal: any Journal
    private var model: JournalModel
    private var step = 0

    init(_ conformance: JournalConformance, seed: UInt64, journal: any Journal) {
        self.conformance = conformance
        self.seed = seed
        self.journal = journal
        model = JournalRun.model(conformance, seed: seed)
    }

    private static func model(_ conformance: JournalConformance, seed: UInt64) -> JournalModel {
        JournalModel(
            seed: seed, rowCountMax: conformance.rowCountMax, isJSON: !conformance.indexes.isEmpty)
    }

    /// Checks that the journal is empty.
    mutating func begin() async throws {
        let state = try await recover()
        try check(
            state.queries.isEmpty && state.layers.isEmpty && state.lastQuery == 0 && state.lastRow == 0
                && state.libraries.isEmpty && state.types.isEmpty, "a new journal is not empty")
    }

    /// Commits the next flush and compares. Sometimes a broken flush must fail before, or the journal is reopened
    /// afterwards.
    mutating func commitNext(_ open: () async throws -> any Journal) async throws {
        step += 1
        let flush = model.nextFlush()
        if model.chance(1, in: 5) { try await checkRefusal(of: flush) }
        try await journal.commit(flush)
        try await compare()
        guard model.chance(1, in: 4) else { return }
        try await close(flush)
        journal = try await open()
        let state = try await recover()
        if let difference = model.difference(to: state) { throw failure("after reopening, \(difference)") }
        let lastRow = model.entities.values.map(\.row).max() ?? 0
        try check(
            compared(state.lastRow) == compared(lastRow), "the last row is \(state.lastRow), not \(lastRow)")
        try await compare()
    }

    /// Rebuilds the journal and checks that nothing is left.
    mutating func rebuild() async throws {
        let keys = Array(model.entities.keys)
        try await journal.rebuild()
        try await check(journal.load(keys).entities.isEmpty, "a rebuilt journal loads entities")
        try await check(journal.rows(after: nil, countMax: 10).isEmpty, "a rebuilt journal has rows")
        try await check(journal.entityCounts().isEmpty, "a rebuilt journal counts entities")
        let records = try await journal.quarantine(QuarantineSelection(countMax: 10))
        try check(records.isEmpty, "a rebuilt journal has records in quarantine")
        model = JournalRun.model(conformance, seed: seed &+ 0x5EED)
    }

    func end() async throws { try await journal.close() }

    private func recover() async throws -> RecoveredState {
        let state = try await journal.recover()
        try await journal.changeIndexes(FieldIndexChanges(added: conformance.indexes), progress: nil)
        return state
    }

    /// Closes the journal, and checks that it accepts no further flush.
    private func close(_ flush: FlushBatch) async throws {
        try await journal.close()
        do throws(StorageError) {
            try await journal.commit(flush)
        } catch {
            return try check(error.code == .closed, "after close a commit gives \(error)")
        }
        throw failure("a closed journal took a flush")
    }

    /// Checks that a flush that contradicts the content changes nothing: without its fault it can then be committed
    /// once.
    private func checkRefusal(of flush: FlushBatch) async throws {
        var faulty = flush
        faulty.newTypes.append((0, "a second name of type 0"))
        do throws(StorageError) {
            try await journal.commit(faulty)
        } catch {
            return try check(error.code == .damaged, "a flush that contradicts itself gives \(error)")
        }
        throw failure("a flush that contradicts itself was taken")
    }

    // MARK: Comparing

    /// Returns a row number for a comparison: 0 if the journal need not store those of flushes.
    private func compared(_ row: Int64) -> Int64 { conformance.numbersRows ? row : 0 }

    private func compared(_ entity: StoredEntity) -> StoredEntity {
        var entity = entity
        entity.row = compared(entity.row)
        return entity
    }

    private func compared(_ row: StoredRowAge) -> StoredRowAge {
        var row = row
        row.stored.row = compared(row.stored.row)
        return row
    }

    private mutating func compare() async throws {
        try await compareLoads()
        try await compareReads()
        try await compareFinds()
        try await compareRows()
        for _ in 0..<8 { try await comparePage() }
        let counts = try await journal.entityCounts()
        try check(
            Set(counts) == model.entityCounts && counts.count == model.entityCounts.count,
            "the entities are counted as \(counts), not \(model.entityCounts)")
        for _ in 0..<3 { try await compareQuarantine() }
        if let difference = try await conformance.comparison?(journal, &model) { throw failure(difference) }
    }

    private mutating func compareLoads() async throws {
        let keys = model.keysToLoad()
        let loaded = try await journal.load(keys).entities.map { compared($0) }
        let byKey = Dictionary(loaded.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        try check(byKey.count == loaded.count, "load gave a key twice")
        for key in keys {
            let wanted = model.entities[key].map { compared($0) }
            try check(
                byKey[key] == wanted, "\(key) is \(String(describing: byKey[key])), not \(String(describing: wanted))")
        }
    }

    /// Compares some reads of single entities, which a journal may perform beside its other work.
    private mutating func compareReads() async throws {
        for key in model.keysToLoad().prefix(10) {
            let found = try await journal.read(key).map { compared($0) }
            let wanted = model.entities[key].map { compared($0) }
            try check(found == wanted, "\(key) is read as \(String(describing: found))")
        }
    }

    private mutating func compareFinds() async throws {
        let keys = model.keysToLoad()
        let found = try await journal.find(keys).map { StoredRow(key: $0.key, row: compared($0.row)) }
        let wanted = keys.compactMap { key in model.entities[key].map { StoredRow(key: key, row: compared($0.row)) } }
        try check(
            Set(found) == Set(wanted) && found.count == wanted.count,
            "\(keys.count) keys have \(found.count) rows, not \(wanted.count), or others")
    }

    /// Compares a scan of all rows in pages of a random size.
    private mutating func compareRows() async throws {
        let countMax = model.rowPageCount()
        var rows: [StoredRowAge] = []
        while true {
            let page = try await journal.rows(after: rows.last?.stored.key, countMax: countMax)
            rows += page
            try check(page.count <= countMax, "a page of \(countMax) rows has \(page.count)")
            if page.count < countMax || rows.count > model.entities.count { break }
        }
        try check(
            Set(rows.map { compared($0) }) == Set(model.rowAges.map { compared($0) })
                && rows.count == model.entities.count,
            "a scan of the rows gives \(rows.count) of \(model.entities.count), or others")
    }

    private mutating func comparePage() async throws {
        let page = model.randomPage()
        let found = try await journal.page(
            library: page.library, type: page.type, after: page.after, countMax: page.countMax)
        try check(
            found.entities.map { compared($0) } == page.entities.map { compared($0) } && found.damaged.isEmpty,
            "a page after \(String(describing: page.after)) is \(found.entities.map(\.key.id)), not "
                + "\(page.entities.map(\.key.id))")
    }

    private mutating func compareQuarantine() async throws {
        let selection = model.randomQuarantineSelection()
        let records = try await journal.quarantine(selection)
        let wanted = model.quarantined(selection)
        try check(records == wanted, "\(selection) gives \(records), not \(wanted)")
    }

    private func failure(_ message: String) -> JournalConformance.Failure {
        JournalConformance.Failure(seed: seed, step: step, message: message)
    }

    private func check(_ holds: Bool, _ message: @autoclosure () -> String) throws {
        if !holds { throw failure(message()) }
    }
}
