import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel

@testable import TidemarkSQLite

/// One writer for each file, however many names the file has. Laws: L5.
@Suite(.pooled) struct IdentityLockTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var link: String { folder.file("link.db") }

    private func makeLink() throws {
        try FileManager.default.linkItem(atPath: folder.file(), toPath: link)
    }

    private func refusal(_ body: () async throws -> Void) async -> StorageError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? StorageError
        }
    }

    private func written() async throws {
        let journal = try await SQLiteJournal.open(path: folder.file())
        var cache = SmallCache()
        cache.put(EntityKey(type: "file", id: "1"), #"{"id":"1"}"#)
        try await journal.commit(cache.take())
        try await journal.close()
    }

    @Test func `a second name of a file gets no second writer`() async throws {
        try await written()
        try makeLink()
        let journal = try await SQLiteJournal.open(path: folder.file())
        let refused = await refusal { _ = try await SQLiteJournal.open(path: link) }
        #expect(refused?.code == .locked)
        #expect(refused?.message.contains("process \(getpid()), under the name \(folder.file())") == true)
        let repair = await refusal { _ = try DataFileRepair.run(path: link, now: 0) { _ in true } }
        #expect(repair?.code == .locked)
        let examination = Examination.of(link)
        #expect(examination.findings.contains { $0.code == .severalNames })
        try await journal.close()
        let next = try await SQLiteJournal.open(path: link)
        #expect(await next.openingReport == .reopened)
        try await next.close()
    }

    @Test func `a new file is locked by identity, and so is one that was made anew`() async throws {
        let journal = try await SQLiteJournal.open(path: folder.file())
        try makeLink()
        #expect(await refusal { _ = try await SQLiteJournal.open(path: link) }?.code == .locked)
        _ = try await journal.rebuild(reason: "a test")
        try FileManager.default.removeItem(atPath: link)
        try makeLink()
        #expect(await refusal { _ = try await SQLiteJournal.open(path: link) }?.code == .locked)
        try await journal.close()
    }

    @Test func `a lock of a deleted file of this process, whose number another file has now, is waited for`()
        async throws
    {
        try await written()
        let locks = LockFolder.standard()
        let identity = try #require(FileIdentity(path: folder.file()))
        let held = try #require(try IdentityLock.acquire(DataFilePath(folder.file()), in: locks))
        // The lock file names a path that does not exist, like that of a holder whose file was deleted.
        let path = IdentityLock.path(of: identity, in: try #require(locks.usable()))
        try Data("\(getpid())\n\(folder.file("gone.db"))\n".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: StorageError.self) { try IdentityLock.acquire(DataFilePath(folder.file()), in: locks) }
        // A thread of its own: those of the global queue may all be busy.
        Thread.detachNewThread { held.release() }
        let next = try #require(try IdentityLock.acquire(DataFilePath(folder.file()), in: locks))
        next.release()
    }

    @Test func `a lock without a process number is reported as another process's`() {
        #expect(WriterLock.name(of: nil) == "another process")
        #expect(WriterLock.name(of: "7") == "process 7")
    }

    @Test func `a lock ends with its owner`() async throws {
        let locks = folder.file("locks")
        var configuration = SQLiteJournal.Configuration(path: folder.file())
        configuration.lockFolder = LockFolder(paths: [locks])
        let journal = try await SQLiteJournal.open(configuration)
        #expect(try FileManager.default.contentsOfDirectory(atPath: locks).count == 1)
        try await journal.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: locks) == [])
        let mode = try FileManager.default.attributesOfItem(atPath: locks)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test func `without a folder for locks a file with one name opens, and one with two does not`() async throws {
        try await written()
        let plain = folder.file("plain")
        try Data("x".utf8).write(to: URL(fileURLWithPath: plain))
        let open = folder.file("open")
        try FileManager.default.createDirectory(
            atPath: open, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        var configuration = SQLiteJournal.Configuration(path: folder.file())
        // The first path is not a folder; the second is a folder that other users can open.
        configuration.lockFolder = LockFolder(paths: ["\(plain)/locks", open])
        let journal = try await SQLiteJournal.open(configuration)
        try await journal.close()
        try makeLink()
        let refused = await refusal { [configuration] in _ = try await SQLiteJournal.open(configuration) }
        #expect(refused?.code == .cannotCreate)
        #expect(refused?.message.contains("2 names") == true)
    }

    @Test func `the folder is that of the machine's run, else a temporary one of this user`() {
        let both = LockFolder.standard(environment: ["XDG_RUNTIME_DIR": "/run/user/7"]).paths
        #expect(both.first == "/run/user/7/tidemark")
        #expect(both.last?.hasSuffix("tidemark-\(geteuid())") == true)
        #expect(LockFolder.standard(environment: ["XDG_RUNTIME_DIR": "relative"]).paths.count == 1)
    }

    #if os(Linux)
        /// Returns the number of SQLite's locks that this process has on a file.
        ///
        /// The system writes its table in pieces: locks that other tests take or release meanwhile let it leave out
        /// some, or repeat them. A lock that is held all the time is in most of several readings.
        private func sqliteLockCount() throws -> Int {
            let inode = try #require(FileIdentity(path: folder.file())).inode
            var locks: Set<Substring> = []
            for _ in 0..<8 {
                let table = try #require(ExaminationConditions().lockTable())
                for line in table.split(separator: "\n")
                where line.contains("POSIX") && line.contains(" \(getpid()) ") && line.contains(":\(inode) ") {
                    // The number before the colon is that of the line.
                    locks.insert(line.drop { $0 != ":" })
                }
            }
            return locks.count
        }

        @Test func `examining a file that this process writes keeps SQLite's locks`() async throws {
            let journal = try await SQLiteJournal.open(path: folder.file())
            var cache = SmallCache()
            cache.put(EntityKey(type: "file", id: "1"), #"{"id":"1"}"#)
            try await journal.commit(cache.take())
            let count = try sqliteLockCount()
            #expect(count > 0)
            #expect(try SQLiteReader(path: folder.file()).verify().isSound)
            _ = Examination.of(folder.file())
            #expect(await refusal { _ = try await SQLiteJournal.open(path: folder.file()) }?.code == .locked)
            #expect(await refusal { _ = try DataFileRepair.run(path: folder.file(), now: 0) { _ in true } } != nil)
            #expect(try sqliteLockCount() == count)
            try await journal.close()
        }
    #endif
}
