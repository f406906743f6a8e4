import GRDBSQLite
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore

@testable import TidemarkSQLite

/// The table `evicted`: its content, and the handling of damaged rows.
@Suite struct EvictedRowTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func sqlite(_ statement: String) {
        var connection: OpaquePointer?
        #expect(sqlite3_open(folder.file(), &connection) == SQLITE_OK)
        #expect(sqlite3_exec(connection, statement, nil, nil, nil) == SQLITE_OK)
        sqlite3_close(connection)
    }

    private func record(_ hash: UInt64, isBack: Bool = false) -> EvictedRecord {
        EvictedRecord(library: 0, hash: hash, isBack: isBack)
    }

    @Test(arguments: ["hashes = zeroblob(16)", "library = 1", "is_back = 1", "checksum = 0", "hashes = x'0102'"])
    func `a damaged row is reported, left out and deleted, and the rest stays`(change: String) async throws {
        var journal = try await SQLiteJournal.open(path: folder.file())
        var flush = FlushBatch()
        flush.evicted.records = [record(1), record(2), record(3, isBack: true), record(4)]
        try await journal.commit(flush)
        try await journal.close()
        sqlite("UPDATE evicted SET \(change) WHERE number = 1")
        #expect(
            try SQLiteReader(path: folder.file()).verify().problems == [
                .damaged(DamagedRow(row: 1, kind: .evicted, fault: .checksumMismatch))
            ])
        journal = try await SQLiteJournal.open(path: folder.file())
        #expect(await journal.openingReport == .reopened)
        #expect(try await journal.recover().evicted == [record(3, isBack: true), record(4)])
        flush.evicted.records = [record(5)]
        try await journal.commit(flush)
        try await journal.close()
        #expect(try SQLiteReader(path: folder.file()).verify().problems == [])
        journal = try await SQLiteJournal.open(path: folder.file())
        #expect(try await journal.recover().evicted == [record(3, isBack: true), record(4), record(5)])
        try await journal.close()
    }

    @Test func `a log that is written anew replaces the old one`() async throws {
        let journal = try await SQLiteJournal.open(path: folder.file())
        var flush = FlushBatch()
        flush.evicted.records = (0..<3_000).map { record(UInt64($0)) }
        try await journal.commit(flush)
        flush.evicted = EvictedChanges(replacesAll: true, records: [record(7)])
        try await journal.commit(flush)
        try await journal.close()
        let again = try await SQLiteJournal.open(path: folder.file())
        #expect(try await again.recover().evicted == [record(7)])
        try await again.close()
    }
}
