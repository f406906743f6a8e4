import Testing
import Tidemark
import TidemarkTesting

@testable import TidemarkSQLite

extension JournalCrashPointTests {
    @Test func `a move to blocks that stops anywhere is undone or goes on, and loses nothing`() async throws {
        let entities = MovedEntities(seed: 11)
        let expected = try #require(entities.states.last)
        let folder = try TemporaryFolder()
        try await entities.write(to: folder.file())
        let file = try DamageFixture.contents(folder.file())
        try await everywhere(few: 24) { path in
            try DamageFixture.write(file, to: path)
        } run: { path, _, acknowledged in
            let journal = try await MovedEntities.open(path, from: 1)
            acknowledged = 1
            try await journal.close()
        } check: { path, acknowledged in
            // First by a process that only reads; then by a writer that finishes the move.
            #expect(try MovedEntities.read(path) == expected)
            #expect(try MovedEntities.layout(path) == .blocks || acknowledged == 0)
            let journal = try await MovedEntities.open(path, from: 1)
            #expect(await journal.openingReport == .reopened)
            try await journal.close()
            #expect(try MovedEntities.read(path) == expected)
            #expect(try MovedEntities.layout(path) == .blocks)
        }
    }

    @Test func `a flush with which the entities become blocks is there whole, or not at all`() async throws {
        let entities = MovedEntities(seed: 12, flushCount: 6)
        try await everywhere(few: 16) { _ in
        } run: { path, _, acknowledged in
            let journal = try await MovedEntities.open(path, from: 60)
            for flush in entities.flushes {
                try await journal.commit(flush)
                acknowledged += 1
            }
            try await journal.close()
            #expect(try MovedEntities.layout(path) == .blocks)
        } check: { path, acknowledged in
            let journal = try await MovedEntities.open(path, from: 60)
            try await journal.close()
            let found = try MovedEntities.read(path)
            #expect(entities.states[acknowledged...].prefix(2).contains(found), "\(found.count) after \(acknowledged)")
        }
    }
}
