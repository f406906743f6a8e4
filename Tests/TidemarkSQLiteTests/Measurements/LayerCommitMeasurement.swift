import Foundation
import GRDBSQLite
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// The cost of writing a layer to the disk before it is answered: commits of one row of the table of layers, with and
/// without a sync. With `TIDEMARK_SCALE=measure` it prints the numbers of docs/decisions/0010-layer-rows.md.
@Suite(.pooled) struct LayerCommitMeasurement {
    private static let isMeasured = TestScale.measure.isAsked

    @Test func `a commit of one layer is measured, synced and not`() throws {
        let folder = try TemporaryFolder()
        let count = LayerCommitMeasurement.isMeasured ? 2_000 : 20
        var medians: [String: [Double]] = [:]
        // The modes alternate, so that a slow moment of the machine concerns both.
        for _ in 0..<5 {
            for mode in ["FULL", "NORMAL"] {
                medians[mode, default: []].append(try commits(count, mode, folder.file("\(mode).db")))
            }
        }
        guard LayerCommitMeasurement.isMeasured else { return }
        for (mode, times) in medians.sorted(by: { $0.key < $1.key }) {
            let sorted = times.sorted()
            print("\(mode): median \(sorted[2]) µs a commit, of five runs \(sorted[0]) to \(sorted[4])")
        }
    }

    /// Measures commits of one row.
    ///
    /// - Returns: The median in microseconds.
    private func commits(_ count: Int, _ mode: String, _ path: String) throws -> Double {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        var connection: OpaquePointer?
        #expect(sqlite3_open(path, &connection) == SQLITE_OK)
        defer { sqlite3_close(connection) }
        let handle = try #require(connection)
        func run(_ sql: String) { #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(sql)") }
        run("PRAGMA page_size = \(DataFile.pageByteCount)")
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA wal_autocheckpoint = \(DataFile.checkpointPageCount)")
        run("PRAGMA synchronous = \(mode)")
        run(try #require(DataFileSchema.tables.first { $0.name == "layers" }).sql)
        let insert = try PreparedStatement(
            handle, "INSERT INTO layers VALUES (?, 'an id of a mutation', '', 0, NULL, 0, 0, zeroblob(200), 0)")
        var times: [Double] = []
        for number in 1...count {
            insert.bind(1, Int64(number))
            let start = ContinuousClock.now
            try insert.run()
            let parts = (ContinuousClock.now - start).components
            times.append(Double(parts.seconds) * 1e6 + Double(parts.attoseconds) / 1e12)
        }
        return times.sorted()[times.count / 2]
    }
}
