import Foundation
import GRDBSQLite
import TestTraits
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// A journal whose process stops at any change of the disk, while a file is made, upgraded, rebuilt or gets a
/// dictionary. Law: L5.
@Suite(.pooled, .tags(.crash)) struct JournalCrashPointTests {
    /// Runs a workload to its end, then once for each chosen point until it stops there, and checks the remaining
    /// files.
    ///
    /// - Parameters:
    ///   - prepare: Writes the files that exist at the beginning.
    ///   - run: Throws when the disk stops. Reports the number of acknowledgements.
    ///   - check: Checks the files in a folder, given the number of acknowledgements.
    func everywhere(
        few: Int, prepare: (String) throws -> Void, run: (String, FaultDisk, inout Int) async throws -> Void,
        check: (String, Int) async throws -> Void
    ) async throws {
        let points = CrashPoints(
            count: TestScale.crashPointCount(few: few), only: TestScale.point.number, seed: TestScale.randomSeed)
        let prepared = try TemporaryFolder()
        try prepare(prepared.file())
        func copied() throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            for name in try prepared.names {
                try FileManager.default.copyItem(atPath: prepared.file(name), toPath: folder.file(name))
            }
            return folder
        }
        var count = 0
        do {
            let folder = try copied()
            let quiet = try FaultDisk(folder: folder.path)
            var acknowledged = 0
            try await run(folder.file(), quiet, &acknowledged)
            count = quiet.changeCount
            try await check(folder.file(), acknowledged)
        }
        #expect(count > 10)
        for point in points.chosen(of: count) {
            for moment in FaultDisk.Moment.allCases {
                let folder = try copied()
                let disk = try FaultDisk(folder: folder.path)
                disk.plan(.stop(moment), at: point, count: .max, seed: points.seed(at: point))
                var acknowledged = 0
                do {
                    try await run(folder.file(), disk, &acknowledged)
                    Issue.record("\(disk.place) of \(count) was never noticed")
                } catch {
                    #expect(disk.isStopped, "\(error)")
                }
                for loss: FaultDisk.Loss in [.process, .power(seed: points.seed(at: point, 1))] {
                    let copy = try TemporaryFolder()
                    try disk.writeImage(loss, to: copy.path)
                    // A fault disk avoids real syncs.
                    let quiet = try FaultDisk(folder: copy.path)
                    defer { withExtendedLifetime(quiet) {} }
                    do {
                        try await check(copy.file(), acknowledged)
                    } catch {
                        Issue.record("\(error)")
                    }
                    if let sound = try? SQLiteReader(path: copy.file()).verify() {
                        #expect(
                            sound.problems == [],
                            "\(disk.place), \(moment), \(loss); try again: \(points.description(of: point))")
                    }
                }
            }
        }
    }

    @Test(arguments: [1, 2]) func `an upgrade that stops anywhere is complete or undone, and loses nothing`(
        format: Int
    ) async throws {
        let old = try MigrationTests()
        let layer = LayerRecord(
            number: 1, pendingID: "p", library: 0, createdAt: 7,
            changes: [.delete(StoredKey(library: 0, type: 0, id: .text("1")))])
        try await everywhere(few: 60) { path in
            SQLiteShell.run(path, format == 1 ? MigrationTests.version1 : MigrationTests.version2)
        } run: { path, _, acknowledged in
            let journal = try await SQLiteJournal.open(path: path)
            var flush = FlushBatch()
            flush.layers = [layer]
            try await journal.commit(flush)
            acknowledged = 1
            try await journal.close()
        } check: { path, acknowledged in
            let journal = try await SQLiteJournal.open(path: path)
            #expect(await journal.openingReport == .reopened)
            let state = try await journal.recover()
            #expect(state.libraries.map(\.cursor) == [EventSequence(9)])
            #expect(try await journal.load(old.entities.map(\.key)).entities == old.entities)
            #expect(state.layers == [layer] || acknowledged == 0 && state.layers == [])
            try await journal.close()
        }
    }

    @Test func `a dictionary is there with the rows that need it, or neither is`() async throws {
        var resources = FileResources(count: 500, seed: 9)
        let flushes = (0..<2).map { _ in resources.flush(rowCount: 250, isDistinct: true) }
        func open(_ path: String) async throws -> SQLiteJournal {
            var configuration = SQLiteJournal.Configuration(path: path)
            configuration.dictionarySampleCountMin = 250
            return try await SQLiteJournal.open(configuration)
        }
        try await everywhere(few: 12) { _ in
        } run: { path, _, acknowledged in
            let journal = try await open(path)
            for flush in flushes {
                try await journal.commit(flush)
                acknowledged += 1
            }
            try await journal.close()
        } check: { path, acknowledged in
            let journal = try await open(path)
            #expect(await journal.openingReport == .reopened || acknowledged == 0)
            var found = 0
            for flush in flushes {
                let keys = flush.bytes.withUnsafeBytes { bytes in flush.rows.map { $0.storedKey(id: $0.id(in: bytes)) }
                }
                let loaded = try await journal.load(keys).entities
                let byKey = Dictionary(uniqueKeysWithValues: loaded.map { ($0.key, $0.payload) })
                guard !byKey.isEmpty else { break }
                found += 1
                for (row, key) in zip(flush.rows, keys) {
                    let payload = Array(flush.bytes[row.payloadOffset..<row.payloadOffset + row.payloadCount])
                    #expect(byKey[key] == payload)
                }
            }
            #expect(found >= acknowledged)
            #expect(await journal.damagedRowCount == 0)
            let cursor = try await journal.recover().libraries.first?.cursor?.rawValue
            #expect(cursor == (found == 0 ? nil : Int64(found * 250)))
            try await journal.close()
        }
    }
}
