import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkStore

@testable import TidemarkSQLite

/// The findings of an examination, and that it writes nothing.
@Suite(.pooled) struct DoctorTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file() }

    init() throws {
        folder = try TemporaryFolder()
        #expect(chmod(folder.path, 0o700) == 0)
    }

    private static let fixture = Task { try await DamageFixture() }

    /// The conditions of a machine without faults, whatever machine runs the tests.
    private static var conditions: ExaminationConditions {
        var conditions = ExaminationConditions()
        conditions.sqlite = SQLiteVersion(3, 51, 3)
        conditions.mountTable = { "1 0 8:1 / / rw,relatime - ext4 /dev/sda rw" }
        conditions.lockTable = { "" }
        conditions.freeByteCount = { _ in 1 << 40 }
        return conditions
    }

    /// Returns the findings as `level code`, sorted; checks that nothing was written.
    private func told(_ conditions: ExaminationConditions = Self.conditions, isAtRest: Bool = true) throws -> [String] {
        let before = try contents()
        let examination = Examination.of(path, conditions)
        let after = try contents()
        // Readers write their position into SQLite's index of the log.
        for (name, bytes) in before where !name.hasSuffix("-shm") {
            let isSame = after[name] == bytes
            #expect(isSame, "\(name) was changed")
        }
        if isAtRest { #expect(after.keys.sorted() == before.keys.sorted()) }
        return examination.findings.filter { $0.level != .ok }.map { "\($0.level.rawValue) \($0.code.rawValue)" }
            .sorted()
    }

    private func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in try folder.names { contents[name] = try DamageFixture.contents(folder.file(name)) }
        return contents
    }

    private func write(_ bytes: [UInt8], to name: String = "cache.db") throws {
        try DamageFixture.write(bytes, to: folder.file(name))
        #expect(chmod(folder.file(name), 0o600) == 0)
    }

    // MARK: Files

    @Test func `a sound file has no findings but its content`() async throws {
        try write(try await Self.fixture.value.closed)
        #expect(try told() == ["note layers", "warning quarantine"])
        let examination = Examination.of(path, Self.conditions)
        #expect(examination.level == .warning)
        #expect(!examination.holds(.dictionary))
        #expect(Set(examination.findings.map(\.topic)) == Set(Finding.Topic.allCases))
    }

    @Test func `every finding has its own words, and every problem has advice`() async throws {
        let fixture = try await Self.fixture.value
        for bytes in [fixture.closed, fixture.foreign, [1, 2, 3]] {
            try write(bytes)
            for finding in Examination.of(path, ExaminationConditions()).findings {
                #expect(!finding.what.isEmpty)
                if finding.level >= .warning { #expect(!finding.advice.isEmpty, "\(finding)") }
            }
        }
    }

    @Test func `a count of one is printed in the singular`() {
        #expect(counted(1, "entity", "entities") == "1 entity")
        #expect(counted(0, "entity", "entities") == "0 entities")
        #expect(counted(2, "row") == "2 rows")
    }

    @Test func `a missing file and a foreign file are reported as such`() async throws {
        let fixture = try await Self.fixture.value
        #expect(try told() == ["problem missing"])
        try write([])
        #expect(try told() == ["note empty"])
        try write(Array("no database at all".utf8))
        #expect(try told() == ["problem not_ours"])
        try DamageFixture.write([], to: path + "-lock")
        #expect(chmod(path + "-lock", 0o600) == 0)
        #expect(try told() == ["problem not_a_database"])
        try FileManager.default.removeItem(atPath: path + "-lock")
        try write(fixture.foreign)
        #expect(try told() == ["problem not_ours"])
        try write(fixture.closed)
        SQLiteShell.run(path, ["PRAGMA user_version = 99"])
        #expect(try told() == ["problem newer_format"])
        try write(fixture.closed)
        SQLiteShell.run(path, ["CREATE VIEW evil AS SELECT 1"])
        #expect(try told() == ["problem not_ours"])
    }

    @Test func `a file with a log is read with it, and another file's log is reported`() async throws {
        let fixture = try await Self.fixture.value
        try write(fixture.live.main)
        try write(fixture.live.log, to: "cache.db-wal")
        #expect(try told(isAtRest: false) == ["note layers", "note log", "warning quarantine"])
        for name in ["cache.db-wal", "cache.db-shm"] { unlink(folder.file(name)) }
        try write(fixture.foreignLog, to: "cache.db-wal")
        #expect(try told(isAtRest: false).contains("problem log_foreign"))
    }

    @Test func `damage is reported by its kind`() async throws {
        let fixture = try await Self.fixture.value
        try write(fixture.closed)
        SQLiteShell.run(path, ["UPDATE layers SET body = x'00' WHERE number = 1"])
        #expect(try told() == ["note layers", "problem layer_damaged", "warning quarantine"])
        try write(fixture.closed)
        SQLiteShell.run(path, ["UPDATE queries SET method = 'x'"])
        #expect(try told() == ["note layers", "problem query_damaged", "warning quarantine"])
        try write(fixture.closed)
        SQLiteShell.run(path, ["DROP TABLE evicted"])
        #expect(try told().contains("problem schema_damaged"))
        try write(fixture.closed)
        SQLiteShell.run(path, ["UPDATE libraries SET cursor = 1"])
        #expect(try told() == ["problem unreadable"])
        var bytes = fixture.closed
        bytes.replaceSubrange(3 * 8192..<4 * 8192, with: repeatElement(0xEE, count: 8192))
        try write(bytes)
        #expect(try told().contains("problem quick_check"))
    }

    @Test func `a damaged or missing dictionary is reported with the rows that need it`() async throws {
        let journal = try await DamageFixture.open(path)
        var cache = SmallCache()
        for number in 0..<200 {
            cache.put(
                EntityKey(library: "", type: "file", id: ByteString("f\(number)")), DamageFixture.json(number, "many"))
        }
        try await journal.commit(cache.take())
        try await journal.close()
        let sound = try DamageFixture.contents(path)
        let text = Examination.of(path, Self.conditions).findings.first { $0.code == .dictionary }
        #expect(text?.level == .ok)
        #expect(text?.what.contains("trained from 200 samples, is used by 200 rows") == true, "\(text as Any)")
        SQLiteShell.run(path, ["UPDATE dictionaries SET body = randomblob(500)"])
        #expect(try told() == ["problem dictionary_damaged"])
        try write(sound)
        SQLiteShell.run(path, ["DELETE FROM dictionaries"])
        #expect(try told() == ["problem dictionary_missing"])
    }

    @Test func `files that a repair left, and the rights of the file, are reported`() async throws {
        try write(try await Self.fixture.value.closed)
        #expect(chmod(path, 0o644) == 0)
        for name in ["cache.db-new", "cache.db-rebuilt", "cache.db.damaged-20260131T235959Z", "cache.db-journal"] {
            try write([1], to: name)
        }
        #expect(chmod(folder.path, 0o777) == 0)
        #expect(
            try told() == [
                "note layers", "note moved_aside", "note rollback_journal", "note unfinished", "warning quarantine",
                "warning rebuild_unfinished", "warning rights", "warning rights",
            ])
    }

    @Test func `libraries with lost numbers, and edits without their entity, are reported`() async throws {
        let journal = try await DamageFixture.open(path)
        var cache = SmallCache()
        let key = EntityKey(library: "a", type: "file", id: "1")
        cache.put(key, "{}")
        var flush = cache.take()
        flush.libraries[0].lost = [LostRange(first: EventSequence(3), last: EventSequence(5))]
        flush.layers = [
            LayerRecord(
                number: 1, pendingID: "p", library: 0, createdAt: 1,
                changes: [.patch(cache.stored(key), fields: Array(#"{"a":1}"#.utf8), unset: [])])
        ]
        try await journal.commit(flush)
        cache.delete(key, sequence: 7)
        flush = cache.take()
        flush.libraries[0].lost = [LostRange(first: EventSequence(3), last: EventSequence(5))]
        flush.libraries[0].isStale = true
        try await journal.commit(flush)
        try await journal.close()
        #expect(try told() == ["note layers", "warning layer_orphaned", "warning lost"])
    }

    // MARK: The writer

    @Test func `a writer beside the examination is reported`() async throws {
        let journal = try await DamageFixture.open(path)
        var cache = SmallCache()
        cache.put(EntityKey(library: "", type: "file", id: "1"), "{}")
        try await journal.commit(cache.take())
        var conditions = Self.conditions
        let inode = try FileManager.default.attributesOfItem(atPath: path + "-lock")[.systemFileNumber] as? Int
        let line = "9: FLOCK  ADVISORY  WRITE 4711 08:01:\(try #require(inode)) 0 EOF\n"
        conditions.lockTable = { line }
        #expect(try told(conditions, isAtRest: false) == ["note writer_running"])
        #expect(Examination.of(path, conditions).findings.contains { $0.what.contains("process 4711") })
        // Where the kernel has no table of locks, the text in the lock file and a living process count.
        conditions.lockTable = { nil }
        #expect(try told(conditions, isAtRest: false) == ["note writer_running"])
        conditions.isAlive = { _ in false }
        #expect(try told(conditions, isAtRest: false) == ["note lock_left", "note log"])
        try await journal.close()
        #expect(try told(conditions) == [])
    }

    // MARK: The machine

    @Test(arguments: [
        ("nfs4", "warning network_file_system"), ("cifs", "warning network_file_system"),
        ("fuse.sshfs", "warning network_file_system"), ("9p", "warning network_file_system"),
        ("tmpfs", "warning volatile_file_system"), ("overlay", "note layered_file_system"),
        ("fuse.ntfs-3g", nil), ("btrfs", nil), ("zfs", nil),
    ])
    func `file systems are rated by their support of a log and locks`(type: String, finding: String?) throws {
        var conditions = Self.conditions
        conditions.mountTable = { "1 0 8:1 / / rw - ext4 /dev/sda rw\n2 1 0:5 / \(folder.path) rw - \(type) x rw" }
        try write([])
        #expect(try told(conditions) == (["note empty"] + [finding].compactMap { $0 }).sorted())
    }

    @Test func `the longest mount point counts, then the last mount, and escapes are decoded`() throws {
        let table = MountTable(
            """
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw
            30 22 0:30 / /mnt/a\\040b rw,nosuid shared:2 master:1 - nfs4 host:/x rw
            31 30 0:31 / /mnt/a\\040b ro - tmpfs tmpfs rw
            32 22 0:32 / /mnt/a rw - xfs /dev/b ro,x
            nonsense
            """)
        #expect(
            table.fileSystem(of: "/mnt/a b/c") == FileSystem(type: "tmpfs", mountPoint: "/mnt/a b", isReadOnly: true))
        #expect(table.fileSystem(of: "/mnt/a/c") == FileSystem(type: "xfs", mountPoint: "/mnt/a", isReadOnly: true))
        #expect(table.fileSystem(of: "/mnt/ab") == FileSystem(type: "ext4", mountPoint: "/", isReadOnly: false))
        #expect(MountTable("").fileSystem(of: "/") == nil)
    }

    @Test func `little free room is a warning, and almost none a problem`() async throws {
        try write(try await Self.fixture.value.closed)
        var conditions = Self.conditions
        conditions.freeByteCount = { _ in 20 << 20 }
        #expect(try told(conditions).contains("warning room"))
        conditions.freeByteCount = { _ in 1 << 20 }
        #expect(try told(conditions).contains("problem room"))
    }

    @Test(arguments: [
        ((3, 40, 1), 1), ((3, 51, 2), 1), ((3, 51, 3), 0), ((3, 53, 0), 0), ((3, 44, 5), 1), ((3, 44, 6), 0),
        ((3, 45, 0), 1), ((3, 50, 6), 1), ((3, 50, 7), 0), ((3, 6, 23), 0),
    ])
    func `versions of SQLite are rated by their known faults`(version: (Int32, Int32, Int32), count: Int) {
        #expect(SQLiteVersion(version.0, version.1, version.2).defects.count == count)
    }
}
