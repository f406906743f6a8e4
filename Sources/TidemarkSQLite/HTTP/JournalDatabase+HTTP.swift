import GRDB
import Tidemark
import TidemarkHTTPRecords
import TidemarkModel
import TidemarkStore

extension JournalDatabase {
    /// Adopts the ledger of the database that this one replaces. Responses that callers have in memory are outdated.
    func share(_ ledger: HTTPLedger) {
        httpLedger = ledger
        ledger.restart()
    }

    /// Returns an attached change of a flush as a change of stored responses.
    ///
    /// No input reaches it: the program decides what it attaches, and a data file keeps no other data beside the
    /// entities.
    func httpChange(_ change: any AttachedChange) -> HTTPChange {
        guard let change = change as? HTTPChange else {
            preconditionFailure("a data file has no place for \(type(of: change))")
        }
        return change
    }

    // MARK: Reading

    func httpAnswers(library: ByteString, url: ByteString) throws -> [HTTPRecord] {
        guard http.count > 0 else { return [] }
        return try openStatements().http.rows(library: library, url: url).map { row in
            var record = row.record
            if let update = http.updates[record.number] {
                record.head = update.head
                record.answeredAt = update.answeredAt
            }
            if let use = httpLedger.use(record.number) {
                record.usedAt = use.at
                record.hitCount += use.count
            }
            return record
        }
    }

    func httpBody(_ number: Int64, bounds: Range<Int64>?, usedAt: Int64?) throws -> [UInt8]? {
        let table = try openStatements().http
        guard let row = try table.row(number), let body = try table.body(row, bounds) else { return nil }
        if let usedAt { try noteUse(number, at: usedAt) }
        return body
    }

    func httpPage(_ selection: HTTPSelection, after: HTTPPlace?, countMax: Int) throws -> [HTTPRecord] {
        try writeUses()
        return try openStatements().http.page(selection, after: after, countMax: countMax).map(\.record)
    }

    /// Checks a stored body, and keeps its chunks until the hold ends.
    func holdHTTPBody(_ number: Int64, usedAt: Int64?) throws -> HTTPBodyHold? {
        let table = try openStatements().http
        guard let row = try table.row(number), try table.isSound(row) else { return nil }
        if let usedAt { try noteUse(number, at: usedAt) }
        return httpLedger.hold(number)
    }

    func httpChunk(_ hold: HTTPBodyHold, _ place: Int64) throws -> [UInt8]? {
        guard httpLedger.isCurrent(hold) else { return nil }
        return try openStatements().http.chunk(hold.number, place)
    }

    private func noteUse(_ number: Int64, at instant: Int64) throws {
        guard !httpLedger.noteUse(number, at: instant) else { return }
        try writeUses()
        _ = httpLedger.noteUse(number, at: instant)
    }

    // MARK: Bodies in chunks

    /// Begins a body that is written before its head.
    func beginHTTPBody() throws -> (HTTPBodyDraft, HTTPBodyHold)? {
        guard !discardsContents else { return nil }
        _ = try openStatements()
        // The number is in no row yet. The first chunk records it for the next opening.
        http.lastNumber += 1
        let number = http.lastNumber
        let hold = httpLedger.hold(number)
        http.drafts[number] = false
        return (HTTPBodyDraft(number: number), hold)
    }

    /// Writes the next chunk of a draft in a transaction of its own.
    ///
    /// - Returns: nil for a draft of another file, and for one that already has the most chunks.
    func writeHTTPChunk(_ bytes: [UInt8], of draft: HTTPBodyDraft) throws -> HTTPBodyDraft? {
        // No input reaches it: a writer cuts bodies into chunks of this size.
        precondition(
            bytes.count <= HTTPBodyDraft.chunkByteCount,
            "a chunk has \(bytes.count) bytes, more than \(HTTPBodyDraft.chunkByteCount)")
        guard !discardsContents, let isBegun = http.drafts[draft.number], draft.chunkCount < HTTPTable.chunkCountMax
        else { return nil }
        let statements = try openStatements()
        var next = http
        var draft = draft
        next.drafts[draft.number] = true
        if !isBegun { next.unfinishedCount += 1 }
        try queue.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                try removeAbandoned(statements.http, &next)
                draft.storedByteCount += try statements.http.writeChunk(bytes, draft.number, draft.chunkCount)
                try statements.counters.write(HTTPMemory.unfinishedCounter, next.unfinishedCount)
                return .commit
            }
        }
        http = next
        draft.chunkCount += 1
        draft.byteCount += Int64(bytes.count)
        return draft
    }

    /// Removes the chunks of bodies that nobody holds any longer: of abandoned drafts and removed responses.
    private func removeAbandoned(_ table: HTTPTable, _ next: inout HTTPMemory) throws {
        for (number, isBegun) in next.drafts where !httpLedger.isHeld(number) {
            next.drafts[number] = nil
            guard isBegun else { continue }
            try table.removeChunks(number)
            next.unfinishedCount -= 1
        }
        for number in next.orphans where !httpLedger.isHeld(number) {
            next.orphans.remove(number)
            try table.removeChunks(number)
            next.unfinishedCount -= 1
        }
    }

    // MARK: Writing

    /// Makes the changes in a transaction of its own. Confirmations alone wait for the next one.
    ///
    /// - Returns: The number of responses that were removed.
    func writeHTTP(_ changes: [HTTPChange]) throws -> Int {
        guard !discardsContents else { return 0 }
        let statements = try openStatements()
        if try deferred(changes, statements.http) { return 0 }
        var next = http
        var written = HTTPWriting()
        try queue.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                written = try writeHTTP(changes, statements, &next)
                return .commit
            }
        }
        http = next
        tell(written)
        return written.removedCount
    }

    /// Keeps confirmations in memory, because a 304 should not cost a write to the disk.
    ///
    /// - Returns: False if there are other changes, or too many confirmations wait.
    private func deferred(_ changes: [HTTPChange], _ table: HTTPTable) throws -> Bool {
        guard !changes.isEmpty, http.updates.count + changes.count <= HTTPMemory.updateCountMax else { return false }
        var updates: [(number: Int64, update: HTTPMemory.Update)] = []
        for change in changes {
            guard case .update(let number, let head, let answeredAt) = change else { return false }
            updates.append((number, .init(head: head, answeredAt: answeredAt)))
        }
        for (number, update) in updates {
            guard let row = try table.row(number) else { continue }
            http.updates[number] = update
            httpLedger.confirmed(number, at: HTTPLedger.place(library: row.record.library, url: row.record.url))
        }
        return true
    }

    /// Notifies callers of changes that are committed.
    func tell(_ written: HTTPWriting) {
        if let places = written.places { httpLedger.changed(places) } else { httpLedger.changedAll() }
        httpLedger.written(written.uses)
    }

    /// Makes the changes within the current transaction.
    func writeHTTP(
        _ changes: [HTTPChange], _ statements: JournalStatements, _ next: inout HTTPMemory
    ) throws -> HTTPWriting {
        let table = statements.http
        var written = HTTPWriting(uses: httpLedger.uses)
        for (number, use) in written.uses { try table.use(number, at: use.at, count: use.count) }
        for (number, update) in next.updates { try self.update(number, update, table, &next, &written) }
        next.updates = [:]
        try removeAbandoned(table, &next)
        for change in changes {
            switch change {
            case .store(let record, let body, let replaced):
                guard record.mayBeStored else { continue }
                for number in replaced { _ = try remove(number, statements, &next, &written) }
                next.lastNumber += 1
                let chunks = try table.writeBody(body, of: next.lastNumber)
                try write(record, next.lastNumber, chunks, table, &next, &written)
            case .storeDraft(let record, let draft, let replaced):
                guard record.mayBeStored, next.drafts[draft.number] != nil, try table.holds(draft) else { continue }
                for number in replaced { _ = try remove(number, statements, &next, &written) }
                if next.drafts.removeValue(forKey: draft.number) == true { next.unfinishedCount -= 1 }
                try write(
                    record, draft.number, (draft.chunkCount, draft.storedByteCount), table, &next, &written)
            case .update(let number, let head, let answeredAt):
                try update(number, .init(head: head, answeredAt: answeredAt), table, &next, &written)
            case .remove(let numbers):
                for number in numbers where try remove(number, statements, &next, &written) {
                    written.removedCount += 1
                }
            case .removeAll(let selection):
                written.removedCount += try removeAll(selection, statements, &next, &written)
            }
        }
        try makeHTTPRoom(statements, &next, &written)
        try next.write(statements.counters)
        return written
    }

    private func update(
        _ number: Int64, _ update: HTTPMemory.Update, _ table: HTTPTable, _ next: inout HTTPMemory,
        _ written: inout HTTPWriting
    ) throws {
        guard var row = try table.row(number) else { return }
        let difference = Int64(update.head.count - row.record.head.count)
        row.record.head = update.head
        row.record.answeredAt = update.answeredAt
        row.record.usedAt = max(row.record.usedAt, update.answeredAt)
        row.record.storedByteCount += difference
        next.byteCount += difference
        next.lastAnsweredAt = max(next.lastAnsweredAt, update.answeredAt)
        try table.write(row)
        written.changed(HTTPLedger.place(library: row.record.library, url: row.record.url))
    }

    private func write(
        _ record: HTTPRecord, _ number: Int64, _ chunks: (count: Int64, byteCount: Int64), _ table: HTTPTable,
        _ next: inout HTTPMemory, _ written: inout HTTPWriting
    ) throws {
        var record = record
        record.number = number
        record.storedByteCount = chunks.byteCount + Int64(record.head.count + record.url.bytes.count)
        next.byteCount += record.storedByteCount
        next.count += 1
        if record.isSession { next.sessionCount += 1 }
        next.lastAnsweredAt = max(next.lastAnsweredAt, record.answeredAt)
        try table.write(HTTPTable.Row(record: record, chunkCount: chunks.count))
        written.changed(HTTPLedger.place(library: record.library, url: record.url))
    }

    private func remove(
        _ number: Int64, _ statements: JournalStatements, _ next: inout HTTPMemory, _ written: inout HTTPWriting
    ) throws -> Bool {
        let table = statements.http
        let row = try table.row(number)
        try table.removeHead(number)
        if httpLedger.isHeld(number) {
            // The body is being read. Its chunks are removed when that ends, or at the next opening.
            if row != nil, next.orphans.insert(number).inserted { next.unfinishedCount += 1 }
        } else {
            try table.removeChunks(number)
        }
        next.updates[number] = nil
        guard let row else {
            // The sizes in a head that fails its check cannot be trusted.
            let totals = try table.totals()
            (next.count, next.byteCount, next.sessionCount) = (totals.count, totals.byteCount, totals.sessionCount)
            written.places = nil
            return false
        }
        next.byteCount -= row.record.storedByteCount
        next.count -= 1
        if row.record.isSession { next.sessionCount -= 1 }
        written.changed(HTTPLedger.place(library: row.record.library, url: row.record.url))
        return true
    }

    private func removeAll(
        _ selection: HTTPSelection, _ statements: JournalStatements, _ next: inout HTTPMemory,
        _ written: inout HTTPWriting
    ) throws -> Int {
        var removedCount = 0
        while true {
            let rows = try statements.http.page(selection, after: nil, countMax: 1_000)
            if rows.isEmpty { return removedCount }
            for row in rows where try remove(row.record.number, statements, &next, &written) { removedCount += 1 }
        }
    }

    /// Removes the least recently used responses if they take too many bytes.
    private func makeHTTPRoom(
        _ statements: JournalStatements, _ next: inout HTTPMemory, _ written: inout HTTPWriting
    ) throws {
        guard next.byteCount > httpLimits.byteCountMax else { return }
        let goal = httpLimits.byteCountMax / 10 * 9
        for number in try oldest(byteCount: next.byteCount - goal, statements.http) {
            _ = try remove(number, statements, &next, &written)
        }
    }

    /// Removes the least recently used responses until so many bytes are free, or none is left.
    ///
    /// - Returns: True if any was removed.
    func removeHTTP(byteCount: Int64) throws -> Bool {
        guard http.count > 0, byteCount > 0 else { return false }
        try writeUses()
        return try writeHTTP([.remove(try oldest(byteCount: byteCount, openStatements().http))]) > 0
    }

    /// Returns the least recently used responses that together take so many bytes.
    private func oldest(byteCount: Int64, _ table: HTTPTable) throws -> [Int64] {
        var excess = byteCount
        var numbers: [Int64] = []
        try table.forEachOldest { number, storedByteCount in
            numbers.append(number)
            excess -= storedByteCount
            return excess > 0
        }
        return numbers
    }

    /// Writes the uses and confirmations that are only in memory.
    func writeUses() throws {
        guard httpLedger.useCount > 0 || !http.updates.isEmpty || !http.drafts.isEmpty || !http.orphans.isEmpty else {
            return
        }
        _ = try writeHTTP([])
    }

    /// Removes what an ended process left: responses of its session, and bodies that no response refers to.
    func sweepHTTP() throws {
        if http.sessionCount > 0 {
            _ = try writeHTTP([.removeAll(HTTPSelection(isSession: true))])
            // Damaged heads were counted and are gone.
            http.sessionCount = 0
        }
        let statements = try openStatements()
        guard http.unfinishedCount > 0 else { return }
        var next = http
        next.unfinishedCount = 0
        try queue.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                try statements.http.removeOrphans()
                try next.write(statements.counters)
                return .commit
            }
        }
        http = next
    }

    /// Returns the file's salt, which is created at its first use.
    func httpSalt(random: () -> UInt64) throws -> [UInt8] {
        let statements = try openStatements()
        if http.salt == nil {
            let salt = Int64(bitPattern: random())
            try queue.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    try statements.counters.write(HTTPMemory.saltCounter, salt)
                    return .commit
                }
            }
            http.salt = salt
        }
        return withUnsafeBytes(of: (http.salt ?? 0).littleEndian) { Array($0) }
    }
}
