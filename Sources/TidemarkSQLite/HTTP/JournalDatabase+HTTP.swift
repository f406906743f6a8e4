import GRDB
import Tidemark
import TidemarkModel
import TidemarkStore

extension JournalDatabase {
    func httpAnswers(library: ByteString, url: ByteString) throws -> [HTTPRecord] {
        guard http.count > 0 else { return [] }
        return try openStatements().http.rows(library: library, url: url).map { row in
            var record = row.record
            if let use = http.uses[record.number] {
                record.usedAt = use.at
                record.hitCount += use.count
            }
            return record
        }
    }

    func httpBody(_ number: Int64, usedAt: Int64?) throws -> [UInt8]? {
        let table = try openStatements().http
        guard let row = try table.row(number), let body = try table.body(row) else { return nil }
        if let usedAt {
            let count = (http.uses[number]?.count ?? 0) + 1
            http.uses[number] = (usedAt, count)
            if http.uses.count >= HTTPMemory.useCountMax { try writeUses() }
        }
        return body
    }

    func httpPage(_ selection: HTTPSelection, after: HTTPPlace?, countMax: Int) throws -> [HTTPRecord] {
        try writeUses()
        return try openStatements().http.page(selection, after: after, countMax: countMax).map(\.record)
    }

    /// Makes the changes in a transaction of their own.
    ///
    /// - Returns: The number of answers that were removed.
    func writeHTTP(_ changes: [HTTPChange]) throws -> Int {
        guard !discardsContents else { return 0 }
        let statements = try openStatements()
        var next = http
        var removedCount = 0
        try queue.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                removedCount = try writeHTTP(changes, statements, &next)
                return .commit
            }
        }
        http = next
        return removedCount
    }

    /// Makes the changes within a transaction.
    func writeHTTP(_ changes: [HTTPChange], _ statements: JournalStatements, _ next: inout HTTPMemory) throws -> Int {
        let table = statements.http
        var removedCount = 0
        for (number, use) in next.uses { try table.use(number, at: use.at, count: use.count) }
        next.uses = [:]
        for change in changes {
            switch change {
            case .store(let record, let body, let replaced):
                for number in replaced { _ = try remove(number, table, &next) }
                try store(record, body, table, &next)
            case .update(let number, let head, let answeredAt):
                guard var row = try table.row(number) else { continue }
                let difference = Int64(head.count - row.record.head.count)
                row.record.head = head
                row.record.answeredAt = answeredAt
                row.record.usedAt = max(row.record.usedAt, answeredAt)
                row.record.storedByteCount += difference
                next.byteCount += difference
                try table.write(row)
            case .remove(let numbers):
                for number in numbers where try remove(number, table, &next) { removedCount += 1 }
            case .removeAll(let selection): removedCount += try removeAll(selection, table, &next)
            }
        }
        try makeHTTPRoom(table, &next)
        try next.write(statements.counters)
        return removedCount
    }

    private func store(_ record: HTTPRecord, _ body: [UInt8], _ table: HTTPTable, _ next: inout HTTPMemory) throws {
        next.lastNumber += 1
        var record = record
        record.number = next.lastNumber
        let written = try table.writeBody(body, of: record.number)
        record.storedByteCount = written.byteCount + Int64(record.head.count + record.url.bytes.count)
        next.byteCount += record.storedByteCount
        next.count += 1
        if record.isSession { next.sessionCount += 1 }
        try table.write(HTTPTable.Row(record: record, chunkCount: written.count))
    }

    private func remove(_ number: Int64, _ table: HTTPTable, _ next: inout HTTPMemory) throws -> Bool {
        guard let row = try table.row(number) else {
            // A head that fails its check has sizes that cannot be trusted: the totals keep it until all answers go.
            try table.remove(number: number)
            return false
        }
        try table.remove(number: number)
        next.byteCount -= row.record.storedByteCount
        next.count -= 1
        if row.record.isSession { next.sessionCount -= 1 }
        return true
    }

    private func removeAll(_ selection: HTTPSelection, _ table: HTTPTable, _ next: inout HTTPMemory) throws -> Int {
        var removedCount = 0
        while true {
            let rows = try table.page(selection, after: nil, countMax: 1_000)
            if rows.isEmpty { return removedCount }
            for row in rows where try remove(row.record.number, table, &next) { removedCount += 1 }
        }
    }

    /// Removes the least recently used answers when there are too many bytes.
    private func makeHTTPRoom(_ table: HTTPTable, _ next: inout HTTPMemory) throws {
        guard next.byteCount > httpLimits.byteCountMax else { return }
        let goal = httpLimits.byteCountMax / 10 * 9
        var excess = next.byteCount - goal
        var numbers: [Int64] = []
        try table.forEachOldest { number, byteCount, _ in
            numbers.append(number)
            excess -= byteCount
            return excess > 0
        }
        for number in numbers { _ = try remove(number, table, &next) }
    }

    /// Removes the least recently used answers until so many bytes of them are gone, or none is left.
    func removeHTTP(byteCount: Int64) throws -> Bool {
        guard http.count > 0, byteCount > 0 else { return false }
        try writeUses()
        var excess = byteCount
        var numbers: [Int64] = []
        try openStatements().http.forEachOldest { number, storedByteCount, _ in
            numbers.append(number)
            excess -= storedByteCount
            return excess > 0
        }
        return try writeHTTP([.remove(numbers)]) > 0
    }

    /// Writes the uses that are only in memory.
    func writeUses() throws {
        guard !http.uses.isEmpty else { return }
        _ = try writeHTTP([])
    }

    /// Removes the answers of a process that ended without removing them.
    func sweepHTTP() throws {
        guard http.sessionCount > 0 else { return }
        _ = try writeHTTP([.removeAll(HTTPSelection(isSession: true))])
        guard http.sessionCount != 0 else { return }
        // Damaged heads were counted and are gone.
        http.sessionCount = 0
    }

    /// Returns the file's salt, which is made at its first use.
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
