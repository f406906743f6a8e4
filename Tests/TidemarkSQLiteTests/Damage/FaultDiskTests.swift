import Foundation
import GRDBSQLite
import TestTraits
import Testing
import TidemarkFaultDisk

/// The fault disk: without these tests another test could pass because no fault ever happened.
@Suite(.pooled) struct FaultDiskTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ path: String, _ statements: [String]) -> Int32 {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        var code = sqlite3_open(path, &connection)
        for statement in statements where code == SQLITE_OK {
            code = sqlite3_exec(connection, statement, nil, nil, nil)
        }
        return code
    }

    /// Returns the number of rows of the one table; nil when it cannot be read.
    private func rowCount(_ path: String) -> Int? {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        var statement: OpaquePointer?
        guard sqlite3_open(path, &connection) == SQLITE_OK,
            sqlite3_prepare_v2(connection, "SELECT count(*) FROM t", -1, &statement, nil) == SQLITE_OK
        else { return nil }
        defer { sqlite3_finalize(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? Int(sqlite3_column_int64(statement, 0)) : nil
    }

    /// Commits ten transactions, and returns the rows that are left after each of a hundred losses of power.
    private func rowCounts(synchronous: String) throws -> Set<Int?> {
        let disk = try FaultDisk(folder: folder.path)
        let insertions = (0..<10).map { "INSERT INTO t VALUES (\($0), randomblob(3000))" }
        var connection: OpaquePointer?
        #expect(sqlite3_open(folder.file(), &connection) == SQLITE_OK)
        defer { sqlite3_close(connection) }
        let statements =
            ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = \(synchronous)", "CREATE TABLE t (a, b)"] + insertions
        for statement in statements { #expect(sqlite3_exec(connection, statement, nil, nil, nil) == SQLITE_OK) }
        var counts: Set<Int?> = []
        for seed in 0..<100 as Range<UInt64> {
            let copy = try TemporaryFolder()
            try disk.writeImage(.power(seed: seed), to: copy.path)
            counts.insert(rowCount(copy.file()))
        }
        let copy = try TemporaryFolder()
        try disk.writeImage(.process, to: copy.path)
        #expect(rowCount(copy.file()) == 10)
        return counts
    }

    @Test func `the fault disk and the journal use the same SQLite library`() throws {
        _ = try FaultDisk(folder: folder.path)
        let vfs = try #require(sqlite3_vfs_find(nil))
        #expect(String(cString: vfs.pointee.zName) == "tidemark-fault")
        #expect(FaultDisk.defaultVFSName == "tidemark-fault")
    }

    @Test func `synced rows outlive a loss of power`() throws {
        #expect(try rowCounts(synchronous: "FULL") == [10])
    }

    @Test func `without syncs a loss of power loses committed rows`() throws {
        let counts = try rowCounts(synchronous: "OFF")
        #expect(counts.count > 2)
        #expect(counts.contains(10))
    }

    @Test func `a stop at any change keeps the earlier changes, and nothing changes after it`() throws {
        let statements = ["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)"]
        let count = try {
            let disk = try FaultDisk(folder: folder.path)
            #expect(run(folder.file(), statements) == SQLITE_OK)
            return disk.changeCount
        }()
        #expect(count > 15)
        var found: [Int?] = []
        for number in 1...count {
            let (source, copy) = (try TemporaryFolder(), try TemporaryFolder())
            let disk = try FaultDisk(folder: source.path)
            disk.plan(.stop(.before), at: number, count: .max, seed: 1)
            #expect(run(source.file(), statements) & 0xFF == SQLITE_IOERR)
            #expect(disk.isStopped)
            #expect(disk.place.hasPrefix("change \(number), "))
            #expect(run(source.file(), ["INSERT INTO t VALUES (3)"]) & 0xFF != SQLITE_OK)
            try disk.writeImage(.process, to: copy.path)
            found.append(rowCount(copy.file()))
        }
        // The number of rows only grows, one by one.
        #expect(found.map { $0 ?? -1 } == found.map { $0 ?? -1 }.sorted())
        // The last change of the disk commits the second row.
        #expect(Set(found) == [nil, 0, 1])
        #expect(rowCount(folder.file()) == 2)
    }

    @Test(arguments: [(FaultDisk.Fault.changeFails, SQLITE_IOERR), (.full, SQLITE_FULL), (.readFails, SQLITE_IOERR)])
    func `a call fails as planned, once, and later ones succeed`(fault: FaultDisk.Fault, code: Int32) throws {
        let disk = try FaultDisk(folder: folder.path)
        #expect(run(folder.file(), ["CREATE TABLE t (a)"]) == SQLITE_OK)
        let isRead = fault == .readFails
        disk.plan(fault, at: (isRead ? disk.readCount : disk.changeCount) + 1, seed: 1)
        #expect(run(folder.file(), ["INSERT INTO t VALUES (1)"]) & 0xFF == code)
        #expect(disk.failureCount == 1)
        #expect(!disk.isStopped)
        #expect(run(folder.file(), ["INSERT INTO t VALUES (1)"]) == SQLITE_OK)
        #expect(rowCount(folder.file()) == 1)
    }

    @Test func `other folders are not affected`() throws {
        let disk = try FaultDisk(folder: folder.path)
        disk.plan(.changeFails, at: 1, count: .max, seed: 1)
        let other = try TemporaryFolder()
        #expect(run(other.file(), ["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"]) == SQLITE_OK)
        #expect(rowCount(other.file()) == 1)
        #expect(disk.changeCount == 0)
    }
}
