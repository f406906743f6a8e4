import Foundation
import GRDBSQLite
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore

@testable import TidemarkSQLite

@Suite(.pooled) struct OpeningTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func code(_ body: () async throws -> Void) async -> StorageError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? StorageError)?.code
        }
    }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    private func contents(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    private func written(_ path: String) async throws {
        let journal = try await SQLiteJournal.open(path: path)
        var cache = SmallCache()
        cache.put(EntityKey(type: "file", id: "1"), #"{"id":"1","name":"one"}"#)
        try await journal.commit(cache.take())
        try await journal.close()
    }

    @Test func `a missing file is made, for the owner only, with its folders`() async throws {
        let path = "\(folder.path)/new/deep/cache.db"
        let journal = try await SQLiteJournal.open(path: path)
        #expect(await journal.openingReport == .created)
        var cache = SmallCache()
        cache.put(EntityKey(type: "file", id: "1"), "{}")
        try await journal.commit(cache.take())
        for suffix in ["", "-wal", "-shm", "-lock"] { #expect(try mode(path + suffix) == 0o600) }
        #expect(try mode("\(folder.path)/new") == 0o700)
        #expect(try mode("\(folder.path)/new/deep") == 0o700)
        try await journal.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/new/deep").sorted() == [
                "cache.db", "cache.db-lock",
            ])
    }

    @Test func `an empty file is used as a new one`() async throws {
        try Data().write(to: URL(fileURLWithPath: folder.file()))
        let journal = try await SQLiteJournal.open(path: folder.file())
        #expect(await journal.openingReport == .created)
        try await journal.close()
    }

    @Test func `a folder that cannot be made is an error with a reason`() async throws {
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder.file("plain")))
        #expect(await code { _ = try await SQLiteJournal.open(path: folder.file("plain/cache.db")) } == .cannotCreate)
    }

    @Test func `a Tidemark file is reopened and keeps its content`() async throws {
        try await written(folder.file())
        let journal = try await SQLiteJournal.open(path: folder.file())
        #expect(await journal.openingReport == .reopened)
        let state = try await journal.recover()
        #expect(state.libraries.map(\.entityCount) == [1])
        #expect(state.lastRow == 1)
        try await journal.close()
    }

    @Test func `the header is checked before anything else`() async throws {
        try await written(folder.file())
        let bytes = try contents(folder.file())
        #expect(Array(bytes[68..<72]) == Array("TIDE".utf8))
        #expect(Array(bytes[60..<64]) == [0, 0, 0, UInt8(DataFile.rowFormatVersion)])
        #expect(Array(bytes[18..<20]) == [2, 2])
    }

    @Test func `a second writer is refused with the process of the first`() async throws {
        let journal = try await SQLiteJournal.open(path: folder.file())
        do {
            _ = try await SQLiteJournal.open(path: folder.file())
            Issue.record("two writers")
        } catch {
            #expect(error.code == .locked)
            #expect(error.message.contains("\(getpid())"))
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.db"), withDestinationPath: folder.file())
        #expect(await code { _ = try await SQLiteJournal.open(path: folder.file("link.db")) } == .locked)
        try await journal.close()
        let next = try await SQLiteJournal.open(path: folder.file("link.db"))
        #expect(await next.openingReport == .reopened)
        try await next.close()
    }

    @Test(arguments: ["DELETE", "WAL"])
    func `a database of another program is refused and not changed`(mode: String) async throws {
        SQLiteShell.run(
            folder.file(), ["PRAGMA journal_mode = \(mode)", "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)"])
        let names = try folder.names
        let bytes = try contents(folder.file())
        #expect(await code { _ = try await SQLiteJournal.open(path: folder.file()) } == .notOurs)
        #expect(await code { _ = try SQLiteReader(path: folder.file()) } == .notOurs)
        #expect(try folder.names == names)
        #expect(try contents(folder.file()) == bytes)
    }

    @Test func `another program's unfinished transaction is not rolled back`() async throws {
        SQLiteShell.run(folder.file(), ["CREATE TABLE t (x)"])
        try Data("a hot journal".utf8).write(to: URL(fileURLWithPath: folder.file() + "-journal"))
        #expect(await code { _ = try await SQLiteJournal.open(path: folder.file()) } == .notOurs)
        #expect(try folder.names == ["cache.db", "cache.db-journal"])
    }

    @Test func `a newer format is refused and not changed`() async throws {
        try await written(folder.file())
        SQLiteShell.run(folder.file(), ["PRAGMA user_version = \(DataFile.formatVersion + 1)"])
        let bytes = try contents(folder.file())
        let names = try folder.names
        #expect(await code { _ = try await SQLiteJournal.open(path: folder.file()) } == .newerFormat)
        #expect(await code { _ = try SQLiteReader(path: folder.file()) } == .newerFormat)
        #expect(try contents(folder.file()) == bytes)
        #expect(try folder.names == names)
    }

    @Test(arguments: [
        "CREATE TABLE extra (x)", "CREATE VIEW peek AS SELECT * FROM keys",
        "CREATE TRIGGER spy AFTER INSERT ON keys BEGIN DELETE FROM entities; END",
        "CREATE INDEX slow ON keys (\"row\")",
    ])
    func `a Tidemark file with an added object is refused and not changed`(statement: String) async throws {
        try await written(folder.file())
        SQLiteShell.run(folder.file(), [statement])
        let bytes = try contents(folder.file())
        let names = try folder.names
        #expect(await code { _ = try await SQLiteJournal.open(path: folder.file()) } == .notOurs)
        #expect(await code { _ = try SQLiteReader(path: folder.file()) } == .notOurs)
        #expect(try contents(folder.file()) == bytes)
        #expect(try folder.names == names)
    }

    @Test func `a Tidemark file that is no longer a database is moved aside and made anew`() async throws {
        try await written(folder.file())
        let garbage = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0) })
        try garbage.write(to: URL(fileURLWithPath: folder.file()))
        let journal = try await SQLiteJournal.open(path: folder.file())
        guard case .rebuilt(let target, let reason) = await journal.openingReport else {
            Issue.record("not rebuilt")
            return
        }
        #expect(target.hasPrefix("\(folder.file()).damaged-20"))
        #expect(reason == "not a SQLite database")
        #expect(try contents(target) == garbage)
        #expect(try await journal.recover().lastRow == 0)
        try await journal.close()
    }

    @Test func `a truncated or overwritten file is moved aside, whatever part is hit`() async throws {
        try await written(folder.file("whole.db"))
        let whole = try contents(folder.file("whole.db"))
        for page in 0..<whole.count / DataFile.pageByteCount {
            let path = folder.file("page\(page).db")
            var bytes = whole
            let start = page == 0 ? 100 : page * DataFile.pageByteCount
            let end = (page + 1) * DataFile.pageByteCount
            bytes.replaceSubrange(start..<end, with: repeatElement(0xA5, count: end - start))
            try bytes.write(to: URL(fileURLWithPath: path))
            let journal = try await SQLiteJournal.open(path: path)
            let key = StoredKey(library: 0, type: 0, id: .text("1"))
            // Damage that opening does not read is found by a read; in either case nothing false is served.
            if case .reopened = await journal.openingReport {
                do {
                    let loaded = try await journal.load([key]).entities
                    #expect(loaded.allSatisfy { $0.payload == Array(#"{"id":"1","name":"one"}"#.utf8) })
                } catch {
                    #expect(error.code == .damaged)
                }
            }
            try await journal.close()
        }
        let path = folder.file("short.db")
        try whole[..<(DataFile.pageByteCount * 2)].write(to: URL(fileURLWithPath: path))
        let journal = try await SQLiteJournal.open(path: path)
        guard case .rebuilt = await journal.openingReport else {
            Issue.record("a truncated file was \(await journal.openingReport)")
            return
        }
        try await journal.close()
    }

    @Test(arguments: [
        "DROP TABLE tombstones", "UPDATE libraries SET cursor = cursor + 1", "UPDATE libraries SET library = 1",
        "INSERT INTO lost_ranges VALUES (0, 5, 2)", "UPDATE types SET name = 'fil'",
    ])
    func `records that contradict themselves are damage`(statement: String) async throws {
        try await written(folder.file())
        SQLiteShell.run(folder.file(), [statement])
        let journal = try await SQLiteJournal.open(path: folder.file())
        guard case .rebuilt = await journal.openingReport else {
            Issue.record("it was \(await journal.openingReport)")
            return
        }
        try await journal.close()
    }

    @Test func `a log left by another database is not replayed into a new one`() async throws {
        let journal = try await SQLiteJournal.open(path: folder.file())
        var cache = SmallCache()
        cache.put(EntityKey(type: "file", id: "1"), "{}")
        try await journal.commit(cache.take())
        let log = try contents(folder.file() + "-wal")
        try await journal.close()
        try FileManager.default.removeItem(atPath: folder.file())
        try log.write(to: URL(fileURLWithPath: folder.file() + "-wal"))
        let next = try await SQLiteJournal.open(path: folder.file())
        #expect(await next.openingReport == .created)
        #expect(try await next.recover().libraries.isEmpty)
        try await next.close()
    }

    @Test func `committed entities are there after a process ends without closing`() async throws {
        let journal = try await SQLiteJournal.open(path: folder.file())
        var cache = SmallCache()
        cache.put(EntityKey(type: "file", id: "1"), #"{"id":"1"}"#)
        try await journal.commit(cache.take())
        // A copy of the files has the state after a kill.
        for suffix in ["", "-wal"] {
            try contents(folder.file() + suffix).write(to: URL(fileURLWithPath: folder.file("copy.db") + suffix))
        }
        let copy = try await SQLiteJournal.open(path: folder.file("copy.db"))
        #expect(await copy.openingReport == .reopened)
        #expect(try await copy.load([StoredKey(library: 0, type: 0, id: .text("1"))]).entities.count == 1)
        try await copy.close()
        try await journal.close()
    }

    @Test func `a closed journal refuses everything`() async throws {
        let journal = try await SQLiteJournal.open(path: folder.file())
        try await journal.close()
        #expect(await code { try await journal.commit(FlushBatch()) } == .closed)
        #expect(await code { _ = try await journal.load([]) } == .closed)
        #expect(await code { _ = try await journal.recover() } == .closed)
        #expect(await code { try await journal.close() } == .closed)
    }
}
