import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel

@testable import TidemarkSQLite

/// Foreign files keep their bytes and their names, even when a user names them as a database.
@Suite(.pooled) struct StrangerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let strangers: [Data] = [
        Data("x".utf8), Data("A shopping list.\n- bread\n- milk\n".utf8),
        Data(#"{"recording":1,"command":"run","opened_at":0,"dropped":0,"base":"empty","configuration":{}}"#.utf8),
        Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0) }), Data(count: 20_000), Data("SQLite format 3\0".utf8),
    ]

    private func write(_ bytes: Data, _ name: String = "cache.db") throws {
        try bytes.write(to: URL(fileURLWithPath: folder.file(name)))
    }

    private func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try folder.names { files[name] = try Data(contentsOf: URL(fileURLWithPath: folder.file(name))) }
        return files
    }

    private func code(_ body: () async throws -> Void) async -> StorageError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? StorageError)?.code
        }
    }

    private func written(_ name: String = "cache.db") async throws {
        let journal = try await SQLiteJournal.open(path: folder.file(name))
        var cache = SmallCache()
        cache.put(EntityKey(type: "file", id: "1"), #"{"id":"1"}"#)
        try await journal.commit(cache.take())
        try await journal.close()
    }

    @Test(arguments: strangers) func `a foreign file is refused and not changed`(bytes: Data) async throws {
        try write(bytes)
        let before = try files()
        #expect(await code { _ = try await SQLiteJournal.open(path: folder.file()) } == .notOurs)
        #expect(await code { _ = try SQLiteReader(path: folder.file()) } == .notOurs)
        #expect(
            await code { _ = try DataFileRepair.run(path: folder.file(), now: 0) { _ in true } } == .notOurs)
        #expect(try files() == before)
        let examination = Examination.of(folder.file())
        #expect(examination.findings.contains { $0.code == .notOurs })
    }

    @Test(arguments: ["-lock", "-wal"])
    func `a damaged file beside a Tidemark lock or log is moved aside`(suffix: String) async throws {
        let writer = try await SQLiteJournal.open(path: folder.file("other.db"))
        var cache = SmallCache()
        cache.put(EntityKey(type: "file", id: "1"), #"{"id":"1"}"#)
        try await writer.commit(cache.take())
        try FileManager.default.copyItem(
            atPath: folder.file("other.db") + suffix, toPath: folder.file() + suffix)
        try await writer.close()
        try write(Self.strangers[3])
        let journal = try await SQLiteJournal.open(path: folder.file())
        guard case .rebuilt(let target, "not a SQLite database") = await journal.openingReport else {
            Issue.record("it was \(await journal.openingReport)")
            return
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Self.strangers[3])
        try await journal.close()
    }

    @Test func `a foreign lock or log does not mark a file as Tidemark's`() async throws {
        try write(Self.strangers[1])
        try write(Data("who may read this\n".utf8), "cache.db-lock")
        try write(Data("a log of the day, longer than any header of a log of SQLite".utf8), "cache.db-wal")
        let before = try files()
        #expect(await code { _ = try await SQLiteJournal.open(path: folder.file()) } == .notOurs)
        #expect(try files() == before)
    }

    @Test(arguments: ["cache.db-new", "cache.db-rebuilt", "cache.db-wal", "cache.db-journal"])
    func `a foreign file under a name that is needed for a new file is not changed`(name: String) async throws {
        try write(Self.strangers[1], name)
        let before = try files()
        #expect(await code { _ = try await SQLiteJournal.open(path: folder.file()) } == .notOurs)
        #expect(try files() == before)
    }

    @Test func `an incomplete or foreign file never replaces a database`() async throws {
        try await written()
        try write(Self.strangers[1], "cache.db-rebuilt")
        let before = try files()
        #expect(await code { _ = try await SQLiteJournal.open(path: folder.file()) } == .notOurs)
        #expect(
            await code { _ = try DataFileRepair.run(path: folder.file(), now: 0) { _ in true } } == .notOurs)
        #expect(try files() == before)
    }

    @Test(arguments: [Data(), Data(count: 4_096), Data("SQLite format 3\0".utf8) + Data(count: 84)])
    func `the rest of an unfinished new file does not prevent the next process from making it`(
        bytes: Data
    ) async throws {
        try write(bytes, "cache.db-new")
        let journal = try await SQLiteJournal.open(path: folder.file())
        #expect(await journal.openingReport == .created)
        try await journal.close()
    }

    @Test func `a Tidemark file that kept only its mark is moved aside without any lock`()
        async throws
    {
        try await written()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        bytes.replaceSubrange(0..<16, with: Data(count: 16))
        try FileManager.default.removeItem(atPath: folder.file() + "-lock")
        try write(bytes)
        let journal = try await SQLiteJournal.open(path: folder.file())
        guard case .rebuilt = await journal.openingReport else {
            Issue.record("it was \(await journal.openingReport)")
            return
        }
        try await journal.close()
    }
}
