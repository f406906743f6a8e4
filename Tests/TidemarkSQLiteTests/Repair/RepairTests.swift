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

/// A repair keeps every row that passes its check, reports the deleted rows, and leaves a file that verifies, wherever
/// it is interrupted. Law: L5.
@Suite(.pooled) struct RepairTests {
    private static let rows = Task { try await DamageFixture(.rows) }
    private static let blocks = Task { try await DamageFixture(.blocks) }
    private static let now: Int64 = 1_700_000_000_000

    private static func isValid(_ bytes: [UInt8]) -> Bool {
        bytes.first == UInt8(ascii: "{") && bytes.last == UInt8(ascii: "}")
    }

    private static func repair(_ path: String) throws(StorageError) -> RepairReport {
        try DataFileRepair.run(path: path, now: now, isValid: isValid)
    }

    /// Returns the content that a reader finds in a file, each kind up to the first error; damaged rows are left out.
    private static func readable(_ path: String) -> DamageFixture.Contents {
        var contents = DamageFixture.Contents()
        func look(_ body: (SQLiteReader) throws -> Void) {
            do { try body(try SQLiteReader(path: path)) } catch {
                // This kind of content ends here.
            }
        }
        look { reader in
            try reader.walk { step in
                if case .entity(let entity) = step {
                    contents.entities[entity.key] = DamageFixture.Version(
                        payload: entity.payload, sequence: entity.sequence?.rawValue)
                }
                return true
            }
        }
        look { reader in
            for case .layer(let layer) in try reader.layers() { contents.layers.append(layer) }
        }
        look { reader in
            try reader.queries { step in
                if case .query(let query) = step { contents.queries.append(query) }
                return true
            }
        }
        return contents
    }

    /// Returns the stored bodies, by their entity's row.
    private static func bodies(_ path: String) throws -> [Int64: [UInt8]] {
        let connection = try ReadConnection(path: path, isImmutable: true)
        var bodies: [Int64: [UInt8]] = [:]
        _ = SalvageScan(connection.handle).numbered("entities", key: #""row""#, columns: "body") { row in
            bodies[row.integer(0)] = Array(row.borrowedBytes(1))
        }
        return bodies
    }

    // MARK: Every kind of damage

    @Test(arguments: DamageKind.allCases)
    func `after a repair verify passes, and everything readable is there unchanged`(kind: DamageKind) async throws {
        // The seeds take turns with the forms of entities.
        var fixtures: [DamageFixture] = []
        if kind.layouts.contains(.rows) { fixtures.append(try await Self.rows.value) }
        if kind.layouts.contains(.blocks) { fixtures.append(try await Self.blocks.value) }
        let factor = TestScale.seeds.number ?? 1
        for seed in 0..<UInt64(max(3, kind.count / 4) * factor) {
            let fixture = fixtures[Int(seed / 2) % fixtures.count]
            let problems = try await Self.tried(kind, seed: seed, fixture)
            #expect(problems == [], "\(fixture.layout), \(kind), seed \(seed)")
        }
    }

    private static func tried(_ kind: DamageKind, seed: UInt64, _ fixture: DamageFixture) async throws -> [String] {
        let folder = try TemporaryFolder()
        // The fault disk avoids real syncs.
        let disk = try FaultDisk(folder: folder.path)
        defer { withExtendedLifetime(disk) {} }
        let path = folder.file()
        var random = SeededGenerator(seed: seed, index: UInt64(DamageKind.allCases.firstIndex(of: kind) ?? 0))
        try kind.make(fixture, at: path, &random)
        let before = try folder.names.map { ($0, try DamageFixture.contents(folder.file($0))) }
        let wanted = readable(path)
        var problems: [String] = []
        let report: RepairReport
        do throws(StorageError) {
            report = try repair(path)
        } catch {
            if ![.notOurs, .newerFormat].contains(error.code) { return ["it gives \(error)"] }
            for (name, bytes) in before where try DamageFixture.contents(folder.file(name)) != bytes {
                problems.append("\(name) was refused and changed")
            }
            return problems
        }
        if kind.isRefused { problems.append("it was not refused") }
        problems += report.after.problems.map { "after: \($0)" }
        if report.before.isSound {
            for (name, bytes) in before where name == "cache.db" && DamageFixture.contentsOrNone(path) != bytes {
                problems.append("\(name) was sound and changed")
            }
            if !report.steps.isEmpty { problems.append("\(report.steps) of a sound file") }
        } else {
            guard let movedTo = report.movedTo else { return problems + ["the damaged file is nowhere"] }
            if let main = before.first(where: { $0.0 == "cache.db" })?.1, try DamageFixture.contents(movedTo) != main {
                problems.append("the damaged file was changed")
            }
            if report.steps.isEmpty { problems.append("it says nothing of \(report.before.problems)") }
        }
        let found = readable(path)
        for (key, version) in wanted.entities where found.entities[key] != version {
            problems.append("\(key) is \(found.entities[key].debugDescription), not \(version)")
        }
        for (key, version) in found.entities where fixture.versions[key]?.contains(version) != true {
            problems.append("\(key) is served as it never was")
        }
        for layer in wanted.layers where !found.layers.contains(where: { $0.number == layer.number }) {
            problems.append("layer \(layer.number) is gone")
        }
        for query in wanted.queries
        where !found.queries.contains(where: { $0.number == query.number && $0.keys == query.keys }) {
            problems.append("query \(query.number) is gone")
        }
        // A second repair has nothing to do.
        let files = try folder.names
        let again = try repair(path)
        if !again.before.isSound || !again.steps.isEmpty || again.movedTo != nil {
            problems.append("the second repair did \(again.steps)")
        }
        if try folder.names != files { problems.append("the second repair left files") }
        // The file can then be used like any other.
        let journal = try await DamageFixture.open(path)
        if await journal.openingReport != .reopened { problems.append("it is not reopened") }
        try await journal.close()
        return problems
    }

    // MARK: Examples

    @Test func `a row with one flipped bit is deleted, and all others keep every byte`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file()
        try DamageFixture.write(try await Self.rows.value.closed, to: path)
        let before = try Self.bodies(path)
        SQLiteShell.run(path, [#"UPDATE entities SET body = x'0000000000000000' WHERE "row" = 5"#])
        let report = try Self.repair(path)
        #expect(report.before.problemCount == 1)
        #expect(report.after.isSound)
        #expect(report.after.entityCount == report.before.entityCount)
        var wanted = before
        wanted[5] = nil
        #expect(try Self.bodies(path) == wanted)
        let name = DamageFixture.key(4)
        #expect(
            report.steps.first?.what
                == "entity \(name.text) of library \"\(name.library)\" was removed: checksum_mismatch")
        #expect(report.steps.contains { $0.what == "library \"\(name.library)\" and its queries are stale now" })
        let library = try SQLiteReader(path: path).libraries().first { $0.status.library == name.library }
        #expect(library?.status.phase == .stale)
    }

    @Test func `a library without its record loses its entities, and the others are renumbered`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file()
        try DamageFixture.write(try await Self.rows.value.closed, to: path)
        let all = Self.readable(path)
        let libraries = try SQLiteReader(path: path).libraries().map(\.status.library)
        #expect(Set(libraries) == ["", "b"])
        let connection = try ReadConnection(path: path, isImmutable: true)
        let first = try #require(try LibraryTable.read(connection.handle).first?.name)
        SQLiteShell.run(path, ["UPDATE libraries SET cursor = 12345 WHERE library = 0"])
        let report = try Self.repair(path)
        #expect(report.after.isSound)
        let found = Self.readable(path)
        #expect(found.entities == all.entities.filter { $0.key.library != first })
        #expect(found.layers.map(\.number) == [1, 2, 3])
    }

    @Test func `an index with wrong rows is built anew`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file()
        try DamageFixture.write(try await Self.rows.value.closed, to: path)
        let journal = try await SQLiteJournal.open(path: path)
        var changes = FieldIndexChanges()
        changes.added = [try #require(FieldIndex(type: "file", path: "/size"))]
        try await journal.changeIndexes(changes, progress: nil)
        try await journal.close()
        let sound = try SQLiteReader(path: path).verify()
        SQLiteShell.run(
            path,
            [
                "DELETE FROM field_values WHERE place % 3 = 0",
                "UPDATE field_values SET code = x'06' WHERE place % 5 = 0",
            ])
        #expect(try !SQLiteReader(path: path).verify().isSound)
        let report = try Self.repair(path)
        #expect(report.after == sound)
        #expect(
            report.steps.map(\.what) == [
                "59 entities that pass their check are in a new file, with every other record that does",
                "the index file./size was rebuilt",
            ])
    }

    @Test func `contradictions are repaired`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file()
        try DamageFixture.write(try await Self.rows.value.closed, to: path)
        SQLiteShell.run(
            path,
            [
                "INSERT INTO tombstones SELECT library, type, id, 900 + \"row\", 1, 0, 5 FROM keys LIMIT 3",
                "INSERT INTO entities VALUES (5000, 1, 0, 0, x'00')",
                "INSERT INTO keys VALUES (0, 0, 'nowhere', 6000)", "INSERT INTO keys VALUES (7, 0, 'nobody', 1)",
            ])
        let wanted = Self.readable(path)
        let report = try Self.repair(path)
        #expect(report.before.problemCount >= 6)
        #expect(report.after.isSound)
        #expect(Self.readable(path).entities == wanted.entities)
    }

    @Test func `repair refuses an open file, a missing one and another program's`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file()
        #expect(throws: StorageError.self) { try Self.repair(path) }
        #expect(try folder.names == [])
        let journal = try await SQLiteJournal.open(path: path)
        let error = #expect(throws: StorageError.self) { try Self.repair(path) }
        #expect(error?.code == .locked)
        try await journal.close()
    }

    // MARK: Late events

    /// A lost key, and the libraries whose late events are held off then.
    struct Loss: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var statement: String
        var libraries: Set<ByteString>
    }

    private static let losses = [
        Loss(
            testDescription: "an entity", statement: #"UPDATE entities SET body = x'00' WHERE "row" = 4"#,
            libraries: ["b"]),
        Loss(
            testDescription: "a key", statement: #"UPDATE keys SET id = x'01' WHERE "row" = 4"#, libraries: ["", "b"]),
        Loss(testDescription: "a tombstone", statement: "UPDATE tombstones SET generation = -1", libraries: ["", "b"]),
        Loss(
            testDescription: "a tombstone of what is stored",
            statement: "INSERT INTO tombstones SELECT library, type, id, 900, 1, 0, 5 FROM keys WHERE \"row\" = 4",
            libraries: ["b"]),
        Loss(testDescription: "a type", statement: "UPDATE types SET name = 'x' WHERE type = 0", libraries: ["", "b"]),
        Loss(
            testDescription: "evicted keys", statement: "INSERT INTO evicted VALUES (1, 0, 0, zeroblob(8), 0)",
            libraries: ["", "b"]),
        Loss(testDescription: "an edit", statement: "UPDATE layers SET body = x'00' WHERE number = 2", libraries: []),
    ]

    @Test(arguments: losses)
    func `a repair that removes a key raises the number up to which late events are held off`(loss: Loss)
        async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.file()
        try DamageFixture.write(try await Self.rows.value.closed, to: path)
        SQLiteShell.run(path, [loss.statement])
        let report = try Self.repair(path)
        #expect(!report.before.isSound && report.after.isSound)
        let journal = try await DamageFixture.open(path)
        #expect(await journal.openingReport == .reopened)
        for library in try await journal.recover().libraries {
            let wanted = loss.libraries.contains(library.name) ? library.cursor : nil
            #expect(library.cursor != nil && library.forgottenThrough == wanted, "\(library.name)")
        }
        try await journal.close()
    }

    // MARK: Interrupted

    @Test func `a repair that is interrupted at any change of the disk loses nothing that could be read`() async throws
    {
        let fixture = try await Self.rows.value
        var random = SeededGenerator(seed: 77)
        let source = try TemporaryFolder()
        try DamageFixture.write(fixture.closed, to: source.file())
        SQLiteShell.run(
            source.file(),
            [
                #"UPDATE entities SET body = x'00' WHERE "row" IN (3, 9)"#,
                "UPDATE layers SET body = x'00' WHERE number = 2",
            ])
        let damaged = try DamageFixture.contents(source.file())
        let wanted = Self.readable(source.file())
        var point = 1
        var finished = false
        while !finished {
            let folder = try TemporaryFolder()
            try DamageFixture.write(damaged, to: folder.file())
            let disk = try FaultDisk(folder: folder.path)
            disk.plan(.stop(random.pick(FaultDisk.Moment.allCases)), at: point, count: .max, seed: UInt64(point))
            do throws(StorageError) {
                _ = try Self.repair(folder.file())
                finished = true
            } catch {
                // The process has ended.
            }
            for loss: FaultDisk.Loss in [.process, .power(seed: UInt64(point))] {
                let image = try TemporaryFolder()
                try disk.writeImage(loss, to: image.path)
                let path = image.file()
                let quiet = try FaultDisk(folder: image.path)
                defer { withExtendedLifetime(quiet) {} }
                let report = try Self.repair(path)
                #expect(report.after.isSound, "point \(point)")
                let found = Self.readable(path)
                #expect(found.entities == wanted.entities, "point \(point), \(loss)")
                #expect(found.layers.map(\.number) == wanted.layers.map(\.number), "point \(point)")
            }
            point += 1 + random.below(3)
        }
        #expect(point > 10)
    }
}

extension DamageFixture {
    fileprivate static func contentsOrNone(_ path: String) -> [UInt8]? {
        do { return try contents(path) } catch { return nil }
    }
}
