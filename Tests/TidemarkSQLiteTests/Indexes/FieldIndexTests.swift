import Foundation
import GRDBSQLite
import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// Indexes on fields: their results, their changes, and their verification.
@Suite(.pooled) struct FieldIndexTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func index(_ text: String) throws -> FieldIndex { try #require(FieldIndex(text)) }

    private func verified(_ name: String = "cache.db") throws -> [String] {
        try SQLiteReader(path: folder.file(name)).verify().problems.map(\.description).sorted()
    }

    private func selected(
        _ rule: String, after: EntityKey? = nil, countMax: Int = .max, _ name: String = "cache.db"
    ) throws -> (ids: [ByteString], outcome: SelectionOutcome) {
        var ids: [ByteString] = []
        let selection = EntitySelection(
            rule: try Membership(json: Array(rule.utf8)), library: "", after: after, countMax: countMax)
        let outcome = try SQLiteReader(path: folder.file(name)).select(selection) { step in
            if case .entity(let entity) = step { ids.append(entity.key.id) }
            return true
        }
        return (ids, outcome)
    }

    @Test(arguments: TestScale.seeds(8))
    func `selections and counts equal a filter and a sort of everything`(seed: UInt64) async throws {
        var walk = try await FieldIndexWalk(seed: seed, path: folder.file())
        var methods: Set<ReadPlan.Method> = []
        var run = RandomWalk(seed: seed)
        while run.next(of: 20) {
            try await walk.step()
            for _ in 0..<6 { if let method = try walk.check() { methods.insert(method) } }
        }
        try await walk.close()
        #expect(methods.contains(.walk), "seed \(seed)")
    }

    /// Writes `count` files in one library, the last of them with text ids.
    private func written(
        _ count: Int, indexes: [FieldIndex] = [], layout: EntityLayout = .rows
    ) async throws {
        let journal = try await SQLiteJournal.open(path: folder.file(), layout: layout)
        try await journal.changeIndexes(FieldIndexChanges(added: indexes), progress: nil)
        var cache = SmallCache()
        for number in 0..<count {
            cache.put(key(number), #"{"kind":\#(number % 10),"size":\#(number * 7919 % count)}"#)
        }
        try await journal.commit(cache.take())
        try await journal.close()
    }

    private func key(_ number: Int) -> EntityKey {
        let id =
            number % 50 == 0 ? ByteString("t\(number)") : ByteString(UUIDValue(high: UInt64(number) << 40, low: 1).text)
        return EntityKey(type: "file", id: id)
    }

    @Test func `a page costs only its own entities, and so does the next one`() async throws {
        try await written(4_000, indexes: [index("file./kind"), index("file./size")])
        let rule = #"{"resource_type":"file","where":{"path":"/kind","eq":3}}"#
        let first = try selected(rule, countMax: 5)
        #expect(first.ids == (0..<5).map { key($0 * 10 + 3).id })
        #expect(first.outcome == .done(ReadPlan(method: .walk, index: try index("file./kind"), readCount: 5)))
        let next = try selected(rule, after: key(2_003), countMax: 5)
        #expect(next.ids == (201...205).map { key($0 * 10 + 3).id })
        #expect(next.outcome == .done(ReadPlan(method: .walk, index: try index("file./kind"), readCount: 5)))
        let largest = try selected(
            #"{"resource_type":"file","order":[{"path":"/size","direction":"desc"}]}"#, countMax: 3)
        #expect(largest.outcome == .done(ReadPlan(method: .walk, index: try index("file./size"), readCount: 3)))
        let range = try selected(
            #"{"resource_type":"file","where":{"path":"/size","gte":10,"lt":14},"order":[{"path":"/kind"}]}"#)
        #expect(range.ids.count == 4)
        #expect(range.outcome == .done(ReadPlan(method: .range, index: try index("file./size"), readCount: 4)))
        let behind = try selected(
            #"{"resource_type":"file","order":[{"path":"/kind"}]}"#, after: key(1_003), countMax: 4)
        #expect(behind.ids == (101...104).map { key($0 * 10 + 3).id })
        #expect(behind.outcome == .done(ReadPlan(method: .walk, index: try index("file./kind"), readCount: 4)))
        let unknown = try selected(
            #"{"resource_type":"file","order":[{"path":"/kind"}]}"#, after: EntityKey(type: "file", id: "none"))
        #expect(unknown.outcome == .unknownPlace)
    }

    @Test func `an index over a file with entities is built in slices, and continues after a kill`() async throws {
        try await written(25_000)
        let folder = folder
        let slices = Mutex<[Int64]>([])
        let journal = try await SQLiteJournal.open(path: folder.file())
        try await journal.changeIndexes(FieldIndexChanges(added: [index("file./kind")])) { progress in
            slices.withLock { slices in
                slices.append(progress.entityCount)
                // The copy has the state after a kill: everything that was committed so far.
                for suffix in ["", "-wal"] {
                    do {
                        try FileManager.default.copyItem(
                            atPath: folder.file() + suffix, toPath: folder.file("kill\(slices.count)") + suffix)
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
        try await journal.close()
        #expect(slices.withLock { $0 } == [10_000, 20_000, 25_000])
        let rule = #"{"resource_type":"file","where":{"path":"/kind","eq":3}}"#
        let wanted = try selected(rule).ids
        #expect(wanted == (0..<2_500).map { key($0 * 10 + 3).id })
        for (name, isWhole) in [("kill1", false), ("kill2", false), ("kill3", true)] {
            let before = try selected(rule, countMax: 2_500, name)
            #expect(before.ids == wanted)
            guard case .done(let plan) = before.outcome else {
                Issue.record("\(name): \(before.outcome)")
                return
            }
            #expect((plan.method == .walk) == isWhole, "\(name): \(plan)")
            #expect(try verified(name) == [])
            let reopened = try await SQLiteJournal.open(path: folder.file(name))
            let rest = Mutex<Int64>(0)
            // No change is named: the declaration in the file is enough.
            try await reopened.changeIndexes(FieldIndexChanges()) { progress in
                rest.withLock { $0 = progress.entityCount }
            }
            try await reopened.close()
            #expect(rest.withLock { $0 } == (isWhole ? 0 : 25_000))
            let after = try selected(rule, countMax: 2_500, name)
            #expect(after.ids == wanted)
            #expect(after.outcome == .done(ReadPlan(method: .walk, index: try index("file./kind"), readCount: 2_500)))
            #expect(try SQLiteReader(path: folder.file(name)).verify().fieldValueCount == 25_000)
            #expect(try verified(name) == [])
        }
    }

    @Test(arguments: EntityLayout.allCases) func `a dropped index leaves no rows, and its number is used again`(
        layout: EntityLayout
    ) async throws {
        try await written(200, indexes: [index("file./kind"), index("file./size")], layout: layout)
        let journal = try await SQLiteJournal.open(path: folder.file())
        try await journal.changeIndexes(
            FieldIndexChanges(added: [index("file./x")], dropped: [index("file./kind"), index("file./never")]),
            progress: nil)
        try await journal.close()
        #expect(try count("SELECT count(*) FROM \(layout == .rows ? "field_values" : "field_codes")") == 400)
        #expect(try count("SELECT count(*) FROM indexes WHERE number = 0 AND path = '/x'") == 1)
        #expect(try verified() == [])
    }

    private func count(_ sql: String) throws -> Int64? {
        let connection = try ReadConnection(path: folder.file(), isImmutable: false)
        return try withExtendedLifetime(connection) { try PreparedStatement.number(connection.handle, sql) }
    }

    @Test func `a file accepts 64 indexes, and refuses one more without a change`() async throws {
        try await written(3)
        let all = try (0..<64).map { try index("file./f\($0)") }
        let journal = try await SQLiteJournal.open(path: folder.file())
        try await journal.changeIndexes(FieldIndexChanges(added: all), progress: nil)
        let more = FieldIndexChanges(added: [try index("file./one")])
        do throws(StorageError) {
            try await journal.changeIndexes(more, progress: nil)
            Issue.record("it was taken")
        } catch {
            #expect(error.code == .limitExceeded)
        }
        try await journal.close()
        #expect(try count("SELECT count(*) FROM indexes") == 64)
        #expect(try verified() == [])
    }

    @Test func `an equal value writes no page of the index`() async throws {
        try await written(3_000, indexes: [index("file./kind")])
        func page(ofChange change: (Int) -> String) async throws -> Int64 {
            let journal = try await SQLiteJournal.open(path: folder.file())
            var cache = SmallCache()
            for number in 0..<3_000 { cache.put(key(number), #"{"kind":\#(number % 10)}"#) }
            _ = cache.take()
            for number in 0..<3_000 { cache.put(key(number), change(number)) }
            try await journal.commit(cache.take())
            let count = DataFilePath.byteCount(folder.file() + "-wal") ?? 0
            try await journal.close()
            return count
        }
        let equal = try await page { #"{"kind":\#($0 % 10).0,"m":\#($0)}"# }
        let other = try await page { #"{"kind":\#($0 % 10 + 1),"m":\#($0)}"# }
        #expect(equal + 20 * 8_192 < other, "\(equal) and \(other) bytes of log")
    }

    @Test func `verify finds a missing, a forged and a superfluous row of an index`() async throws {
        try await written(20, indexes: [index("file./kind")])
        folder.sqlite(["DELETE FROM field_values WHERE place = 1 << 6"])
        #expect(try verified() == [#"the index file./kind lacks file:t0 of library """#])
        let whole = #"{"resource_type":"file","where":{"path":"/kind","exists":true}}"#
        folder.sqlite(["UPDATE field_values SET code = x'0007' WHERE place = 2 << 6"])
        #expect(try verified().contains { $0.hasPrefix("the index file./kind has a wrong value for file:") })
        folder.sqlite(["INSERT INTO field_values VALUES (900 << 6, 0, 0, x'02', 'ghost')"])
        #expect(try verified().contains("the index file./kind holds row 900, which is not an entity of its type"))
        folder.sqlite(["INSERT INTO field_values VALUES (3 << 6 | 9, 9, 0, x'02', 'ghost')"])
        #expect(
            try verified().contains(
                "the index number 9, which does not exist, holds row 3, which is not an entity of its type"))
        #expect(try verified().count == 4)
        // A forged row never shows; a missing row may be unnoticed.
        #expect(try selected(whole).ids.contains("ghost") == false)
        let three = try selected(#"{"resource_type":"file","where":{"path":"/kind","eq":3}}"#)
        #expect(three.ids == [key(3).id, key(13).id])
        // After it is dropped and declared again the index is sound.
        let journal = try await SQLiteJournal.open(path: folder.file())
        try await journal.changeIndexes(FieldIndexChanges(dropped: [index("file./kind")]), progress: nil)
        try await journal.changeIndexes(FieldIndexChanges(added: [index("file./kind")]), progress: nil)
        try await journal.close()
        #expect(
            try verified() == [
                "the index number 9, which does not exist, holds row 3, which is not an entity of its type"
            ])
    }

    @Test func `verify finds a missing, a forged and a superfluous value of an index over blocks`() async throws {
        try await written(20, indexes: [index("file./kind")], layout: .blocks)
        folder.sqlite(["DELETE FROM field_codes WHERE id = 't0'"])
        #expect(try verified() == [#"the index file./kind lacks file:t0 of library """#])
        let hex = key(2).id.description.replacing("-", with: "")
        folder.sqlite(["UPDATE field_codes SET code = x'0007' WHERE id = x'\(hex)'"])
        #expect(try verified().contains { $0.hasPrefix("the index file./kind has a wrong value for file:") })
        folder.sqlite(["INSERT INTO field_codes VALUES (0, 0, 'ghost', x'02')"])
        #expect(try verified().contains("the index file./kind holds ghost, which is not an entity of its type"))
        folder.sqlite(["INSERT INTO field_codes VALUES (9, 0, 'ghost', x'02')"])
        let stray = "the index number 9, which does not exist, holds ghost, which is not an entity of its type"
        #expect(try verified().contains(stray))
        #expect(try verified().count == 4)
        // A forged row never shows; a missing row may be unnoticed.
        let whole = #"{"resource_type":"file","where":{"path":"/kind","exists":true}}"#
        #expect(try selected(whole).ids.contains("ghost") == false)
        let three = try selected(#"{"resource_type":"file","where":{"path":"/kind","eq":3}}"#)
        #expect(three.ids == [key(3).id, key(13).id])
        // After it is dropped and declared again the index is sound.
        let journal = try await SQLiteJournal.open(path: folder.file())
        try await journal.changeIndexes(FieldIndexChanges(dropped: [index("file./kind")]), progress: nil)
        try await journal.changeIndexes(FieldIndexChanges(added: [index("file./kind")]), progress: nil)
        try await journal.close()
        #expect(try verified() == [stray])
    }

    @Test func `an index that is forged to name an entity twice shows it once, in its place`() async throws {
        try await written(20, indexes: [index("file./kind")])
        let hex = key(3).id.description.replacing("-", with: "")
        folder.sqlite([
            "INSERT INTO field_values SELECT 700 << 6, 0, 0, code, x'\(hex)' FROM field_values WHERE place = 6 << 6",
            "INSERT INTO field_values SELECT 701 << 6, 0, 0, code, x'\(hex)' FROM field_values WHERE place = 4 << 6",
        ])
        for order in [#","order":[{"path":"/kind"}]"#, ""] {
            let found = try selected(#"{"resource_type":"file","where":{"path":"/kind","in":[3,5]}\#(order)}"#)
            #expect(Set(found.ids).count == found.ids.count && found.ids.count == 4)
        }
    }

    @Test func `an index whose record is damaged is ignored, reported and deleted`() async throws {
        try await written(20, indexes: [index("file./kind")])
        folder.sqlite(["UPDATE indexes SET path = '/size'"])
        #expect(try verified() == ["damaged index, row 0: checksum_mismatch"])
        let rule = #"{"resource_type":"file","where":{"path":"/size","lt":3}}"#
        #expect(try selected(rule).outcome == .done(ReadPlan(method: .scan, index: nil, readCount: 20)))
        let journal = try await SQLiteJournal.open(path: folder.file())
        #expect(await journal.damagedRowCount == 1)
        try await journal.changeIndexes(FieldIndexChanges(added: [index("file./kind")]), progress: nil)
        try await journal.close()
        #expect(try verified() == [])
        #expect(try SQLiteReader(path: folder.file()).verify().fieldValueCount == 20)
    }

    @Test func `a file that is made anew while it is in use keeps its indexes`() async throws {
        try await written(20, indexes: [index("file./kind")])
        let journal = try await SQLiteJournal.open(path: folder.file())
        _ = try await journal.rebuild(reason: "a test")
        var cache = SmallCache()
        for number in 0..<3 { cache.put(key(number), #"{"kind":\#(number)}"#) }
        try await journal.commit(cache.take())
        try await journal.close()
        #expect(try verified() == [])
        #expect(try SQLiteReader(path: folder.file()).verify().fieldValueCount == 3)
        let found = try selected(#"{"resource_type":"file","where":{"path":"/kind","eq":2}}"#)
        #expect(found.outcome == .done(ReadPlan(method: .walk, index: try index("file./kind"), readCount: 1)))
    }

    @Test func `too many different values are refused with advice`() throws {
        var counts = FacetCounts()
        for number in 0..<ReadFacets.distinctCountMax {
            try counts.add([7, UInt8(number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255)])
        }
        #expect(throws: StorageError.self) { try counts.add([8]) }
    }

    @Test(arguments: [
        "file", "./a", "file.", "file.a", "fi le./a", "file./a~2", "file./" + String(repeating: "a", count: 1_024),
    ])
    func `a text that names no field is not an index`(text: String) {
        #expect(FieldIndex(text) == nil)
    }

    @Test func `a type may hold a full stop; it ends at the first pointer`() throws {
        let index = try index("a.b./c./d")
        #expect(index.type == "a.b")
        #expect(index.path == "/c./d")
        #expect(index.description == "a.b./c./d")
    }
}
