import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// A device that is locked refuses access to protected files: calls throw `.protected`, and nothing is lost or taken
/// for damage. A simulated disk refuses like that.
@Suite(.pooled) struct FileProtectionTests {
    /// How a refused access looks: as `SQLITE_IOERR_AUTH`, or as `EPERM` of the system.
    private static let forms: [UInt64] = [0, 1]

    @Test(arguments: forms, [EntityLayout.rows, .blocks])
    func `a locked device refuses reads and writes, and loses nothing`(
        form: UInt64, layout: EntityLayout
    ) async throws {
        let fixture = try SuspensionFixture()
        let disk = try FaultDisk(folder: fixture.folder.path)
        // The page cache of SQLite would answer reads without the disk.
        let cache = try await fixture.open(layout: layout)
        for n in 0..<400 { try await cache.change("\(n)", n) }
        try await cache.suspend()
        try await cache.resume()
        await cache.relieveMemory()
        disk.plan(.protected, at: 0, seed: form)
        #expect(await storageCode { _ = try await cache.value("7") } == .protected)
        let request = EntityRequest(EntityKey(type: "t", id: "7"))
        #expect(await storageCode { _ = try await cache.read(request) } == .protected)
        // A change of an entity in memory needs no disk, and reads see it; it waits to be written.
        disk.heal()
        _ = try await cache.value("8")
        disk.plan(.protected, at: 0, seed: form)
        try await cache.change("8", 1)
        #expect(try await cache.value("8") == #"{"id":"8","n":1}"#)
        #expect(await storageCode { try await cache.flush() } == .protected)
        #expect(await cache.storageError?.code == .protected)
        disk.heal()
        try await cache.flush()
        #expect(await cache.storageError == nil)
        #expect(try await cache.value("7") == #"{"id":"7","n":7}"#)
        try await cache.close()
        let again = try await fixture.open()
        #expect(await again.entityCount() == 400)
        #expect(try await again.value("8") == #"{"id":"8","n":1}"#)
        try await again.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        // Nothing was moved aside.
        #expect(Set(names).isSubset(of: ["cache.db", "cache.db-lock", "cache.db-shm", "cache.db-wal"]), "\(names)")
    }

    @Test(arguments: forms, [EntityLayout.rows, .blocks])
    func `a file that becomes inaccessible at any read of an opening is neither damaged nor replaced`(
        form: UInt64, layout: EntityLayout
    ) async throws {
        let fixture = try SuspensionFixture()
        do {
            let cache = try await fixture.open(layout: layout)
            for n in 0..<200 { try await cache.change("\(n)", n) }
            try await cache.close()
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        let disk = try FaultDisk(folder: fixture.folder.path)
        var refusedCount = 0
        for read in 0..<10_000 {
            disk.plan(.protected, at: disk.readCount + read, seed: form)
            let failureCount = disk.failureCount
            let code = await storageCode {
                let cache = try await fixture.open()
                do {
                    let value = try await cache.value("7")
                    #expect(value == #"{"id":"7","n":7}"#)
                    #expect(await cache.entityCount() == 200)
                } catch {
                    try? await cache.close()
                    throw error
                }
                try await cache.close()
            }
            let wasRefused = disk.failureCount > failureCount
            #expect(code == nil || code == .protected, "read \(read): \(disk.place)")
            disk.heal()
            if wasRefused { refusedCount += 1 }
            if !wasRefused { break }
        }
        #expect(refusedCount > 10)
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        let beside = ["-lock", "-wal", "-shm"]
        #expect(names.filter { name in !beside.contains { name.hasSuffix($0) } } == ["cache.db"])
        let again = try await fixture.open()
        for n in 0..<200 { #expect(try await again.value("\(n)") == #"{"id":"\#(n)","n":\#(n)}"#) }
        try await again.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)).count == bytes.count)
    }

    @Test(arguments: forms)
    func `a pause that begins while the device is locked closes the file and keeps what is unwritten`(
        form: UInt64
    ) async throws {
        let fixture = try SuspensionFixture()
        let disk = try FaultDisk(folder: fixture.folder.path)
        let cache = try await fixture.open()
        try await cache.change("1", 1)
        try await cache.flush()
        disk.plan(.protected, at: 0, seed: form)
        try await cache.change("2", 2)
        #expect(await storageCode { try await cache.suspend() } == .protected)
        #expect(await cache.isSuspended)
        #expect(fixture.openFiles == [])
        #expect(try await cache.value("2") == #"{"id":"2","n":2}"#)
        #expect(await storageCode { try await cache.resume() } == .protected)
        #expect(await cache.isSuspended)
        disk.heal()
        try await cache.resume()
        try await cache.flush()
        #expect(try fixture.stored("2") == #"{"id":"2","n":2}"#)
        try await cache.close()
    }

    @Test func `the protection of a file is accepted on every system`() async throws {
        for protection in FileProtection.allCases {
            let fixture = try SuspensionFixture()
            var configuration = SQLiteJournal.Configuration(path: fixture.path)
            configuration.fileProtection = protection
            let cache = try await fixture.open(configuration)
            try await cache.change("1", 1)
            try await cache.suspend()
            try await cache.resume()
            try await cache.close()
            #expect(try fixture.stored("1") == #"{"id":"1","n":1}"#)
        }
    }
}
