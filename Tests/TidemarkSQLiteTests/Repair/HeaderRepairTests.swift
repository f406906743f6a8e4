import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// Files whose first 100 bytes are damaged: everything else of them is there. Law: L5.
@Suite(.pooled) struct HeaderRepairTests {
    /// The entities and edits that a reader finds in a file.
    private struct Contents: Equatable {
        var entities: [EntityKey: [UInt8]] = [:]
        var edits: [ByteString] = []
    }

    private static let now: Int64 = 1_700_000_000_000

    private static func contents(_ path: String) throws -> Contents {
        var contents = Contents()
        let reader = try SQLiteReader(path: path)
        try reader.walk { step in
            if case .entity(let entity) = step { contents.entities[entity.key] = entity.payload }
            return true
        }
        for case .layer(let layer) in try reader.layers() { contents.edits.append(layer.layer.pendingID) }
        return contents
    }

    /// A file of twenty entities and two edits, which is closed.
    private struct Sound {
        var bytes: [UInt8]
        var contents: Contents
    }

    private static let rows = Task { try await make(.rows) }
    private static let blocks = Task { try await make(.blocks) }

    private static func sound(_ layout: EntityLayout) async throws -> Sound {
        switch layout {
        case .rows: try await rows.value
        case .blocks: try await blocks.value
        }
    }

    private static func make(_ layout: EntityLayout) async throws -> Sound {
        let folder = try TemporaryFolder()
        let disk = try FaultDisk(folder: folder.path)
        defer { withExtendedLifetime(disk) {} }
        let path = folder.file()
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.layout = layout
        let cache = try await SyncCache.open(journal: try await SQLiteJournal.open(configuration))
        let lines = (0..<20).map { EventLine.change(#"{"id":"f\#($0)","n":\#($0)}"#) }
        try await cache.ingest(Array(lines.joined(separator: "\n").utf8))
        for id in ["f3", "f4"] {
            try await cache.update(
                OptimisticUpdate(
                    pendingID: ByteString("edit \(id)"), library: "",
                    operations: [.patch(type: "file", id: ByteString(id), fields: Array(#"{"n":-1}"#.utf8), unset: [])])
            )
        }
        try await cache.close()
        let contents = try contents(path)
        #expect(contents.entities.count == 20 && contents.edits == ["edit f3", "edit f4"])
        return Sound(bytes: try DamageFixture.contents(path), contents: contents)
    }

    /// Returns what a reader finds; nil when it finds nothing.
    private static func found(_ path: String) -> Contents? {
        do { return try contents(path) } catch { return nil }
    }

    /// The bytes of the format's number that make one of a newer program of a current one, by themselves.
    private static func makesNewer(_ byte: Int, _ layout: EntityLayout, _ mask: UInt8) -> Bool {
        let version = layout == .rows ? DataFile.rowFormatVersion : DataFile.blockFormatVersion
        let flipped = version ^ Int32(mask) << Int32(8 * (63 - byte))
        return (62...63).contains(byte) && flipped > DataFile.formatVersion
    }

    @Test(arguments: EntityLayout.allCases, 0..<KnownHeader.byteCount)
    func `after any flipped bit of the header everything is read again`(layout: EntityLayout, byte: Int) async throws {
        let folder = try TemporaryFolder()
        let disk = try FaultDisk(folder: folder.path)
        defer { withExtendedLifetime(disk) {} }
        let sound = try await Self.sound(layout)
        // Two bits of each byte, all eight over four bytes.
        for bit in TestScale.every(4, of: (0..<8).map { ($0 + byte) % 8 }) {
            let path = folder.file("\(bit).db")
            var bytes = sound.bytes
            bytes.flip(bit: bit, at: byte)
            try DamageFixture.write(bytes, to: path)
            do throws(StorageError) {
                let report = try DataFileRepair.run(path: path, now: Self.now) { $0.first == UInt8(ascii: "{") }
                #expect(report.after.isSound, "byte \(byte), bit \(bit): \(report.after.problems)")
                #expect(Self.found(path) == sound.contents, "byte \(byte), bit \(bit)")
            } catch {
                // Nothing tells such a file from one that a newer program wrote.
                #expect(error.code == .newerFormat, "byte \(byte), bit \(bit): \(error)")
                #expect(Self.makesNewer(byte, layout, 1 << bit), "byte \(byte), bit \(bit): \(error)")
                #expect(try DamageFixture.contents(path) == bytes)
            }
        }
    }

    @Test(arguments: EntityLayout.allCases)
    func `a writer keeps the edits of a file whose header is damaged, or refuses it`(layout: EntityLayout) async throws
    {
        let folder = try TemporaryFolder()
        let disk = try FaultDisk(folder: folder.path)
        defer { withExtendedLifetime(disk) {} }
        let sound = try await Self.sound(layout)
        for byte in 0..<KnownHeader.byteCount {
            let path = folder.file("\(byte).db")
            var bytes = sound.bytes
            bytes.flip(bit: byte % 8, at: byte)
            try DamageFixture.write(bytes, to: path)
            do throws(StorageError) {
                let journal = try await SQLiteJournal.open(path: path)
                let recovered = try await journal.recover()
                try await journal.close()
                #expect(recovered.layers.map(\.pendingID) == ["edit f3", "edit f4"], "byte \(byte)")
            } catch {
                #expect([.newerFormat, .notOurs].contains(error.code), "byte \(byte): \(error)")
                #expect(try DamageFixture.contents(path) == bytes)
            }
        }
    }

    @Test func `a log beside a file with a damaged header is read too`() async throws {
        let fixture = try await DamageFixture()
        let folder = try TemporaryFolder()
        let path = folder.file()
        try DamageFixture.write(fixture.live.main, to: path)
        try DamageFixture.write(fixture.live.log, to: path + "-wal")
        let wanted = try Self.contents(path)
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        var main = fixture.live.main
        main.flip(bit: 0, at: 3)
        try DamageFixture.write(main, to: path)
        try DamageFixture.write(fixture.live.log, to: path + "-wal")
        let report = try DataFileRepair.run(path: path, now: Self.now) { $0.first == UInt8(ascii: "{") }
        #expect(report.after.isSound && report.movedTo != nil)
        #expect(try Self.contents(path) == wanted)
    }

    @Test func `another program's file with a mark like ours is refused`() throws {
        let folder = try TemporaryFolder()
        for tables in [["CREATE TABLE notes (text)"], [String]()] {
            let path = folder.file("\(tables.count).db")
            SQLiteShell.run(path, tables + ["PRAGMA application_id = \(DataFile.applicationID ^ 4)", "VACUUM"])
            let bytes = try DamageFixture.contents(path)
            #expect { try DataFileRepair.run(path: path, now: Self.now) { _ in true } } throws: {
                ($0 as? StorageError)?.code == .notOurs
            }
            #expect(try DamageFixture.contents(path) == bytes)
        }
    }
}
