import Foundation
import TestTraits
import Testing
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTesting

@testable import Tidemark

/// A cache over a file with indexes: declaration, eviction, and local queries over entities on the disk alone.
@Suite(.pooled) struct FieldIndexEngineTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("a.db") }

    init() throws { folder = try TemporaryFolder() }

    private func line(_ type: String, _ id: Int, _ value: Int) -> String {
        EventLine.change(#"{"id":"k\#(id)","n":\#(value)}"#, type: type, library: "a")
    }

    private func rule(_ text: String) throws -> Membership { try Membership(json: Array(text.utf8)) }

    private func selected(_ text: String) throws -> (ids: [ByteString], outcome: SelectionOutcome) {
        var ids: [ByteString] = []
        let outcome = try SQLiteReader(path: path).select(EntitySelection(rule: try rule(text))) { step in
            if case .entity(let entity) = step { ids.append(entity.key.id) }
            return true
        }
        return (ids, outcome)
    }

    @Test func `a local query over entities on disk alone is the same with an index`() async throws {
        let membership = #"{"resource_type":"file","where":{"path":"/n","gte":3,"lt":5},"order":[{"path":"/n"}]}"#
        var lists: [[String]] = []
        for indexes in [[], ["file./n"]] {
            let path = folder.path("\(indexes.count).db")
            var fixture = try await QueryFixture.open(try await SQLiteJournal.open(path: path)) {
                $0.fieldIndexes = indexes.compactMap { FieldIndex($0) }
            }
            try await fixture.input.feed((0..<3_000).map { line("file", $0, $0 % 40) })
            try await fixture.cache.close()
            // Nothing is in memory; the index is kept though no configuration names it.
            fixture = try await QueryFixture.open(try await SQLiteJournal.open(path: path))
            try await fixture.input.feed([line("file", 7, 3), line("file", 3, 9)])
            try await fixture.put([], #"{"q":1}"#) {
                $0.isLocal = true
                $0.membership = Array(membership.utf8)
            }
            lists.append(try #require(try await fixture.stored(#"{"q":1}"#)))
            try await fixture.cache.close()
            #expect(try SQLiteReader(path: path).verify().problems == [])
        }
        #expect(lists[0].count == 150)
        #expect(lists[1] == lists[0])
    }

    @Test func `an alias names the type that it stands for`() async throws {
        let index = try #require(FieldIndex("entry./n"))
        let cache = try await QueryFixture.open(try await SQLiteJournal.open(path: path)) {
            $0.apply(.spacedrive)
            $0.fieldIndexes = [index]
        }
        try await cache.input.feed([line("entry", 1, 5), line("file", 2, 5), line("file", 3, 6)])
        try await cache.cache.close()
        let found = try selected(#"{"resource_type":"file","where":{"path":"/n","eq":5}}"#)
        #expect(found.ids == ["k1", "k2"])
        #expect(found.outcome == .done(ReadPlan(method: .walk, index: FieldIndex("file./n"), readCount: 2)))
        let again = try await QueryFixture.open(try await SQLiteJournal.open(path: path)) {
            $0.apply(.spacedrive)
            $0.droppedFieldIndexes = [index]
        }
        try await again.cache.close()
        #expect(
            try selected(#"{"resource_type":"file","where":{"path":"/n","eq":5}}"#).outcome
                == .done(ReadPlan(method: .scan, index: nil, readCount: 3)))
    }

    @Test func `deleted, evicted, removed and cleared entities leave the index`() async throws {
        let fixture = try await QueryFixture.open(try await SQLiteJournal.open(path: path)) {
            $0.fieldIndexes = [FieldIndex("file./n")].compactMap { $0 }
            $0.eviction.entityCountMax = 50
        }
        try await fixture.input.feed((0..<80).map { line("file", $0, $0 % 7) })
        try await fixture.cache.enforceLimits()
        try await fixture.input.feed([
            EventLine.delete("k79", library: "a"),
            line("file", 78, 100),
            EventLine.change(#"{"id":"x","n":1}"#, library: "b"),
        ])
        var removal = Removal(library: "a")
        removal.resourceType = "file"
        removal.ids = ["k77"]
        _ = try await fixture.cache.remove(removal)
        try await fixture.cache.enforceLimits()
        try await fixture.cache.flush()
        var report = try SQLiteReader(path: path).verify()
        #expect(report.problems == [])
        #expect(report.fieldValueCount == report.entityCount)
        #expect(report.entityCount < 50)
        #expect(try selected(#"{"resource_type":"file","where":{"path":"/n","gte":100}}"#).ids == ["k78"])
        try await fixture.cache.clear(library: "a")
        try await fixture.cache.close()
        report = try SQLiteReader(path: path).verify()
        #expect(report.problems == [])
        #expect(report.fieldValueCount == 1)
    }

    @Test func `a reduced entity is not found by its kept fields until it is complete again`()
        async throws
    {
        let equal = #"{"resource_type":"file","where":{"path":"/n","eq":1}}"#
        for indexes in [[], ["file./n"]] {
            let path = folder.path("\(indexes.count).db")
            func ids() throws -> [ByteString] {
                var ids: [ByteString] = []
                _ = try SQLiteReader(path: path).select(EntitySelection(rule: try rule(equal))) { step in
                    if case .entity(let entity) = step { ids.append(entity.key.id) }
                    return true
                }
                return ids
            }
            func counted() throws -> [Int64] {
                let all = EntitySelection(rule: try rule(#"{"resource_type":"file"}"#))
                return try SQLiteReader(path: path).facets(
                    try FieldPath("/n"), of: all, countMax: 9, onDamage: { _ in }
                )
                .values.map(\.count)
            }
            var fixture = try await QueryFixture.open(try await SQLiteJournal.open(path: path)) {
                $0.fieldIndexes = indexes.compactMap { FieldIndex($0) }
                $0.eviction.keptFields = ["file": ["n"]]
                $0.eviction.entityCountMax = 0
            }
            // No field of the second entity is indexed, so its bytes are unchanged when it is reduced and made complete
            // again.
            try await fixture.input.feed([
                EventLine.change(#"{"id":"k0","n":1,"m":2}"#, library: "a"),
                line("file", 1, 1),
            ])
            try await fixture.cache.enforceLimits()
            #expect(try ids() == [] && counted() == [])
            #expect(try SQLiteReader(path: path).verify().problems == [])
            try await fixture.cache.close()
            fixture = try await QueryFixture.open(try await SQLiteJournal.open(path: path)) {
                $0.eviction.keptFields = ["file": ["n"]]
            }
            try await fixture.input.feed([line("file", 1, 1)])
            try await fixture.cache.flush()
            #expect(try ids() == ["k1"] && counted() == [1])
            #expect(try SQLiteReader(path: path).verify().problems == [])
            try await fixture.cache.close()
        }
    }
}
