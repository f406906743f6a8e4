import Foundation
import GRDBSQLite
import TestTraits
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// The replacement of a damaged file; the process may end at any step of it. Law: L5.
@Suite(.pooled) struct RebuildTests {
    /// The last step that was finished.
    enum Stage: CaseIterable {
        case promised, logMoved, allMoved
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func layers(_ path: String) async throws -> (OpeningReport, [Int64]) {
        let journal = try await SQLiteJournal.open(path: path)
        let found = (await journal.openingReport, try await journal.recover().layers.map(\.number))
        try await journal.close()
        return found
    }

    @Test(arguments: Stage.allCases)
    func `the next writer completes the rebuild that was promised, with its salvaged layers`(stage: Stage) async throws
    {
        let fixture = try await DamageFixture()
        try DamageFixture.write(fixture.live.main, to: folder.file())
        try DamageFixture.write(fixture.live.log, to: folder.file("cache.db-wal"))
        let file = DataFilePath(folder.file())
        // Layers 10 to 13 are in the log alone.
        let configuration = SQLiteJournal.Configuration(path: file.path)
        try DataFileConnection.make(file, contents: LayerSalvage.layers(of: file), configuration)
        try DataFileConnection.promise(file, configuration)
        let target = file.path + ".damaged-20260131T235959Z"
        if stage != .promised { #expect(rename(file.writeAheadLog, target + "-wal") == 0) }
        if stage == .allMoved { #expect(rename(file.path, target) == 0) }
        let (report, numbers) = try await layers(file.path)
        guard case .rebuilt(let movedTo, _) = report else {
            Issue.record("it was \(report)")
            return
        }
        #expect(FileManager.default.fileExists(atPath: movedTo))
        if stage == .allMoved { #expect(movedTo == target) }
        #expect(numbers == [1, 3, 10, 11, 12, 13])
        #expect(!FileManager.default.fileExists(atPath: file.replacement))
        let again = try await layers(file.path)
        #expect(again.0 == .reopened)
        #expect(again.1 == numbers)
        #expect(try SQLiteReader(path: file.path).verify().problems == [])
    }

    /// Damages a page below the root of `keys`, which no check at opening reads.
    @Test func `damage found by building an index makes the file anew, with its layers`() async throws {
        let path = folder.file()
        var cache = try await SyncCache.open(path: path)
        let lines = (0..<3_000).map { EventLine.change(#"{"id":"f\#($0)","size":\#($0)}"#) }
        try await cache.ingest(Array(lines.joined(separator: "\n").utf8))
        try await cache.update(
            OptimisticUpdate(
                pendingID: "edit", library: "",
                operations: [.patch(type: "file", id: "f7", fields: Array(#"{"size":-1}"#.utf8), unset: [])]))
        try await cache.close()
        var bytes = try DamageFixture.contents(path)
        let root = DamageFixture.page(try DamageFixture.rootPage(of: "keys", path))
        // An inner page has the place of its first cell; the cell begins with the number of the page below.
        let cell = root.lowerBound + Int(bytes[root.lowerBound + 12]) << 8 + Int(bytes[root.lowerBound + 13])
        let below = DamageFixture.page(bytes[cell..<cell + 4].reduce(0) { $0 << 8 + Int($1) })
        bytes.replaceSubrange(below, with: repeatElement(0xA5, count: below.count))
        try DamageFixture.write(bytes, to: path)

        var configuration = CacheConfiguration()
        configuration.fieldIndexes = [try #require(FieldIndex(type: "file", path: "/size"))]
        let journal = try await SQLiteJournal.open(path: path)
        #expect(await journal.openingReport == .reopened)
        cache = try await SyncCache.open(configuration: configuration, journal: journal)
        guard case .rebuilt(let movedTo, _) = await journal.openingReport else {
            Issue.record("it was \(await journal.openingReport)")
            return
        }
        #expect(FileManager.default.fileExists(atPath: movedTo))
        #expect(await journal.salvagedLayerCount == 1)
        #expect(await cache.entityCount() == 0)
        try await cache.ingest(Array(lines[7].utf8))
        guard case .found(let shown) = try await cache.entity(EntityKey(type: "file", id: "f7")) else {
            Issue.record("the entity is not there")
            return
        }
        #expect(String(decoding: shown.bytes, as: UTF8.self).contains(#""size":-1"#))
        try await cache.close()
        #expect(try SQLiteReader(path: path).verify().problems == [])
        #expect(try await layers(path).1.count == 1)
    }

    @Test func `a new file that was not promised does not replace the database`() async throws {
        let fixture = try await DamageFixture()
        try DamageFixture.write(fixture.closed, to: folder.file())
        let file = DataFilePath(folder.file())
        try DataFileConnection.make(file, contents: FlushBatch(), SQLiteJournal.Configuration(path: file.path))
        let (report, numbers) = try await layers(file.path)
        #expect(report == .reopened)
        #expect(numbers == [1, 2, 3])
    }

    @Test func `layers outlive a process that ends between a rebuild and the flush that follows it`() async throws {
        let fixture = try await DamageFixture()
        try DamageFixture.write(fixture.closed, to: folder.file())
        let disk = try FaultDisk(folder: folder.path)
        let journal = try await SQLiteJournal.open(path: folder.file())
        let kept = try await journal.recover().layers
        _ = try await journal.rebuild(reason: "a test")
        #expect(try await journal.recover().layers == [])
        for loss: FaultDisk.Loss in [.process, .power(seed: 1), .power(seed: 2)] {
            let copy = try TemporaryFolder()
            try disk.writeImage(loss, to: copy.path)
            #expect(try await layers(copy.file()) == (.reopened, [1, 2, 3]))
        }
        // The state in memory replaces the layers, with numbers of its own for libraries and types.
        var cache = SmallCache()
        cache.put(EntityKey(library: "other", type: "thing", id: "1"), "{}")
        cache.put(DamageFixture.key(0), DamageFixture.json(0, "first"))
        cache.put(DamageFixture.key(1), DamageFixture.json(1, "first"))
        var flush = cache.take()
        flush.layers = [kept[0]]
        flush.layers[0].library = 2
        let file = StoredKey(library: 2, type: 2, id: .text("1"))
        flush.layers[0].changes = [.delete(file)]
        try await journal.commit(flush)
        try await journal.close()
        let reader = try SQLiteReader(path: folder.file())
        #expect(try reader.verify().problems == [])
        #expect(try reader.libraries().map(\.status.library) == ["", "b", "other"])
        #expect(try reader.layerCount() == 1)
    }

    @Test func `a log of another file is damage, and a file without a number accepts any`() async throws {
        let fixture = try await DamageFixture()
        let file = DataFilePath(folder.file())
        try DamageFixture.write(fixture.closed, to: file.path)
        try DamageFixture.write(fixture.foreignLog, to: file.writeAheadLog)
        #expect(LogIdentity.isForeign(file))
        do throws(StorageError) {
            _ = try SQLiteReader(path: file.path)
            Issue.record("it was read")
        } catch {
            #expect(error.code == .damaged)
        }
        // The log must not hide the layers of the file itself.
        let (report, numbers) = try await layers(file.path)
        guard case .rebuilt = report else {
            Issue.record("it was \(report)")
            return
        }
        #expect(numbers == [1, 2, 3])

        let own = DataFilePath(folder.file("own.db"))
        try DamageFixture.write(fixture.live.main, to: own.path)
        try DamageFixture.write(fixture.live.log, to: own.writeAheadLog)
        #expect(!LogIdentity.isForeign(own))
        let old = DataFilePath(folder.file("old.db"))
        try DamageFixture.write(fixture.closed, to: old.path)
        SQLiteShell.run(old.path, ["DELETE FROM counters WHERE name = 'identity'"])
        try DamageFixture.write(fixture.foreignLog, to: old.writeAheadLog)
        #expect(!LogIdentity.isForeign(old))
    }

    @Test func `a migrator's table that was overwritten is damage`() async throws {
        let fixture = try await DamageFixture()
        try DamageFixture.write(fixture.closed, to: folder.file())
        SQLiteShell.run(
            folder.file(),
            ["PRAGMA ignore_check_constraints = ON", "UPDATE grdb_migrations SET identifier = x'ff' WHERE rowid = 1"])
        let (report, numbers) = try await layers(folder.file())
        guard case .rebuilt = report else {
            Issue.record("it was \(report)")
            return
        }
        #expect(numbers == [1, 2, 3])
    }

    @Test
    func `a writer rolls back a hot rollback journal, also beside the beginning of a log`()
        async throws
    {
        let fixture = try await DamageFixture()
        var hotCount = 0
        for point in 1...20 {
            let (source, copy) = (try TemporaryFolder(), try TemporaryFolder())
            try DamageFixture.write(fixture.closed, to: source.file())
            let disk = try FaultDisk(folder: source.path)
            disk.plan(.stop(.after), at: point, count: .max, seed: 1)
            var connection: OpaquePointer?
            #expect(sqlite3_open(source.file(), &connection) == SQLITE_OK)
            for statement in ["PRAGMA journal_mode = DELETE", "UPDATE counters SET value = value"] {
                sqlite3_exec(connection, statement, nil, nil, nil)
            }
            sqlite3_close(connection)
            try disk.writeImage(.process, to: copy.path)
            guard try copy.names.contains("cache.db-journal") else { continue }
            try DamageFixture.write(Array(fixture.live.log.prefix(100)), to: copy.file("cache.db-wal"))
            do {
                let look = try ReadConnection(path: copy.file(), isImmutable: false)
                try look.execute("SELECT 1 FROM sqlite_schema")
            } catch let failure as SQLiteError {
                // SQLITE_READONLY_ROLLBACK: a process with write access must open the file first.
                if failure.code == SQLITE_READONLY | 3 << 8 { hotCount += 1 }
            }
            let (report, numbers) = try await layers(copy.file())
            #expect(report == .reopened, "\(disk.place)")
            #expect(numbers == [1, 2, 3], "\(disk.place)")
            #expect(try SQLiteReader(path: copy.file()).verify().problems == [], "\(disk.place)")
        }
        #expect(hotCount > 0)
    }
}
