import Foundation
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

extension FaultDisk: FileNames {}

/// Files are renamed when one is made or replaced: a process may end at each of these steps, too.
extension JournalCrashPointTests {
    /// The reason why a file is replaced.
    enum Replacement: CaseIterable {
        /// The log beside the file is another file's.
        case foreignLog
        /// A record of the file is overwritten.
        case overwritten
        /// The damage is found while the file is in use.
        case inUse
    }

    private func configuration(_ path: String, _ disk: FaultDisk) -> SQLiteJournal.Configuration {
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.names = disk
        configuration.now = { 1_700_000_000_000 }
        return configuration
    }

    @Test(arguments: Replacement.allCases)
    func `wherever a replacement of a damaged file stops, the next process finds the layers`(
        replacement: Replacement
    ) async throws {
        let fixture = try await DamageFixture()
        try await everywhere(few: 60) { path in
            try DamageFixture.write(fixture.closed, to: path)
            switch replacement {
            case .foreignLog: try DamageFixture.write(fixture.foreignLog, to: path + "-wal")
            case .overwritten:
                SQLiteShell.run(
                    path,
                    [
                        "PRAGMA ignore_check_constraints = ON",
                        "UPDATE grdb_migrations SET identifier = x'ff' WHERE rowid = 1",
                    ])
            case .inUse: break
            }
        } run: { path, disk, acknowledged in
            let journal = try await SQLiteJournal.open(configuration(path, disk))
            if replacement == .inUse { _ = try await journal.rebuild(reason: "a test") }
            try await journal.close()
            acknowledged = 1
        } check: { path, acknowledged in
            let journal = try await SQLiteJournal.open(path: path)
            let report = await journal.openingReport
            if acknowledged == 1 { #expect(report == .reopened) }
            // The report may differ, depending on the damaged file still being in place, but it never says that the
            // file is new.
            #expect(report != .created)
            #expect(try await journal.recover().layers.map(\.number) == [1, 2, 3])
            try await journal.close()
            let file = DataFilePath(path)
            #expect(DataFilePath.byteCount(file.replacement) == nil)
            // The damaged file is kept for people, complete and once.
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            let kept = names.filter { $0.contains(".damaged-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
            if acknowledged == 1 || report != .reopened { #expect(kept.count <= 1, "\(names.sorted())") }
        }
    }

    @Test func `a stop while the first file is made leaves no file, or a complete one`() async throws {
        try await everywhere(few: 60) { _ in
        } run: { path, disk, acknowledged in
            let journal = try await SQLiteJournal.open(configuration(path, disk))
            acknowledged = 1
            try await journal.close()
            acknowledged = 2
        } check: { path, acknowledged in
            let journal = try await SQLiteJournal.open(path: path)
            let report = await journal.openingReport
            #expect(report == .reopened || report == .created && acknowledged == 0, "\(report)")
            try await journal.close()
        }
    }

    /// Returns the error of opening and closing; nil when there was none.
    private func failure(_ path: String, _ disk: FaultDisk) async -> StorageError? {
        do throws(StorageError) {
            let journal = try await SQLiteJournal.open(configuration(path, disk))
            try await journal.close()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a rename that fails is an error, and the next writer completes it`() async throws {
        let fixture = try await DamageFixture()
        let whole = try TemporaryFolder()
        try DamageFixture.write(fixture.closed, to: whole.file())
        try DamageFixture.write(fixture.foreignLog, to: whole.file("cache.db-wal"))
        let quiet = try FaultDisk(folder: whole.path)
        try await SQLiteJournal.open(configuration(whole.file(), quiet)).close()
        var failureCount = 0
        for point in 1...quiet.changeCount {
            let folder = try TemporaryFolder()
            try DamageFixture.write(fixture.closed, to: folder.file())
            try DamageFixture.write(fixture.foreignLog, to: folder.file("cache.db-wal"))
            let disk = try FaultDisk(folder: folder.path)
            disk.plan(.changeFails, at: point, seed: 1)
            if let error = await failure(folder.file(), disk), disk.place.contains("another name") {
                failureCount += 1
                #expect(error.code == .cannotCreate || error.code == .inputOutput, "\(disk.place): \(error)")
            }
            let journal = try await SQLiteJournal.open(path: folder.file())
            #expect(try await journal.recover().layers.map(\.number) == [1, 2, 3], "\(disk.place)")
            try await journal.close()
        }
        #expect(failureCount >= 3)
    }
}
