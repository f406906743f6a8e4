import Tidemark
import TidemarkModel
import TidemarkStore

extension SQLiteReader {
    /// Checks everything that is stored, on one committed state.
    ///
    /// The check covers every row's checksum and decoding, its JSON by `isValid`, keys against rows in both directions,
    /// recorded counts against rows, cursors against lost ranges, tombstones against entities, indexes against
    /// entities, queries with their lists, layers, HTTP responses, records, and SQLite's own `integrity_check`.
    ///
    /// ```swift
    /// let report = try SQLiteReader(path: "cache.db").verify()
    /// print(report.isSound ? "sound" : "\(report.problemCount) problems")
    /// for problem in report.problems { print(problem) }
    /// ```
    ///
    /// - Parameter isValid: Returns true if the bytes are one JSON object; called on several threads. The default
    ///   checks only the outermost braces.
    /// - Returns: A report. Damage in single rows is never an error. For a file that cannot be read to its end, the
    ///   report has the problems found before, and the reason as ``VerifyReport/Problem/integrity(_:)``.
    /// - Throws: ``/Tidemark/StorageError`` other than `.damaged`.
    /// - Complexity: O(bytes of the file), plus one bit a row, or the index of keys of a file of blocks.
    public func verify(
        isValid: @escaping @Sendable ([UInt8]) -> Bool = {
            $0.first == UInt8(ascii: "{") && $0.last == UInt8(ascii: "}")
        }
    ) throws(StorageError) -> VerifyReport {
        var report = VerifyReport()
        do throws(StorageError) {
            try snapshot { connection in
                try checkIntegrity(connection, &report)
                try checkEntities(connection, &report, isValid)
                try checkRecords(connection, &report)
                try checkQueries(connection, &report)
                try checkLayers(connection, &report)
                if try DataFileSchema.version(connection) >= 6 { try checkHTTP(connection, &report) }
                for record in try RecordTable.damaged(connection) {
                    report.add(.integrity("the record \(record.key) of \(record.kind) fails its check"))
                }
                try EvictedTable.forEach(connection) { _, row in
                    if case .damaged(let row) = row { report.add(.damaged(row)) }
                }
            }
        } catch {
            guard error.code == .damaged else { throw error }
            report.add(.integrity(error.cause))
        }
        return report
    }

    private func checkIntegrity(_ connection: OpaquePointer, _ report: inout VerifyReport) throws {
        let statement = try PreparedStatement(connection, "PRAGMA integrity_check")
        try statement.forEachRow { row in
            let line = row.text(0).description
            if line != "ok" { report.add(.integrity(line)) }
        }
    }

    /// Checks the queries. An element that is neither stored nor tombstoned was evicted: this is not damage, but it is
    /// counted.
    private func checkQueries(_ connection: OpaquePointer, _ report: inout VerifyReport) throws {
        let names = try ReadNames(connection)
        let entities = try entities(connection)
        let tombstones = try PreparedStatement(
            connection, "SELECT 1 FROM tombstones WHERE library = ?1 AND type = ?2 AND id = ?3")
        try SQLiteReader.forEachQuery(connection, names) { row in
            switch row {
            case .damaged(let row):
                report.add(.damaged(row))
            case .record(let record):
                report.queryCount += 1
                var seen: Set<StoredID> = []
                for element in record.elements {
                    let key = StoredKey(library: record.library, type: record.type, id: element.id)
                    guard seen.insert(element.id).inserted else {
                        if let name = names.entityKey(key) {
                            report.add(.repeatedElement(query: record.number, name))
                        }
                        continue
                    }
                    if try entities.contains(key) { continue }
                    tombstones.bind(key, from: 1)
                    if try !tombstones.step() { report.missingElementCount += 1 }
                    tombstones.reset()
                }
            }
            return true
        }
    }

    /// Checks the stored HTTP responses, that every chunk belongs to one, and their recorded totals.
    private func checkHTTP(_ connection: OpaquePointer, _ report: inout VerifyReport) throws {
        let table = try HTTPTable(connection)
        let damaged = try table.damaged()
        for number in damaged {
            report.add(.damaged(DamagedRow(row: number, kind: .httpAnswer, fault: .checksumMismatch)))
        }
        let counters = try CounterTable.read(connection)
        // A body that is being written or read has no head. The next opening removes those that a killed writer left.
        if counters[HTTPMemory.unfinishedCounter] ?? 0 == 0 {
            for number in try table.orphanNumbers() where !damaged.contains(number) {
                report.add(.damaged(DamagedRow(row: number, kind: .httpAnswer, fault: .rowMissing)))
            }
        }
        let totals = try table.totals()
        let recorded = (
            counters[HTTPMemory.countCounter] ?? 0, counters[HTTPMemory.bytesCounter] ?? 0,
            counters[HTTPMemory.sessionCounter] ?? 0
        )
        if damaged.isEmpty, recorded != (totals.count, totals.byteCount, totals.sessionCount) {
            report.add(
                .integrity(
                    "the counters of HTTP answers say \(recorded), and the rows are \(totals): repair the database"))
        }
    }

    private func checkLayers(_ connection: OpaquePointer, _ report: inout VerifyReport) throws {
        let overlay = try LayerOverlay(connection, try ReadNames(connection))
        for row in overlay.damaged { report.add(.damaged(row)) }
        report.layerCount = Int64(overlay.records.count)
    }

    private func checkRecords(_ connection: OpaquePointer, _ report: inout VerifyReport) throws {
        for record in try LibraryTable.read(connection) {
            if let cursor = record.cursor, cursor < .beforeFirst {
                report.add(.library(record.name, "the cursor \(cursor.rawValue) is below every sequence"))
            }
            for (range, next) in zip(record.lost, record.lost.dropFirst())
            where next.first <= range.last.successor {
                report.add(.library(record.name, "lost ranges overlap at \(next.first.rawValue)"))
            }
            if let last = record.lost.last, record.cursor.map({ $0 < last.last }) ?? true {
                report.add(.library(record.name, "the last lost range ends at \(last.last.rawValue), past the cursor"))
            }
        }
    }
}
