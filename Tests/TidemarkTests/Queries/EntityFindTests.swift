import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// Finding entities by key, condition and order, against a list that is filtered and sorted.
@Suite(.pooled) struct EntityFindTests {
    private static func rule(_ members: String = "") throws -> Membership {
        try Membership(json: Array("{\"resource_type\":\"file\"\(members.isEmpty ? "" : ",")\(members)}".utf8))
    }

    private func keys(_ fixture: QueryFixture, _ finding: EntityFinding) async throws -> [String] {
        try await fixture.cache.find(finding).keys.map(\.id.description)
    }

    private static let upsertedSize = 10

    /// The naive model: the visible entities by id, with the one number that conditions and orders are about.
    private struct Naive {
        var base: [String: Int] = [:]
        /// The pending edits, oldest first; nil deletes.
        var layers: [(name: String, id: String, size: Int?)] = []

        var visible: [String: Int] {
            var visible = base
            for layer in layers {
                if let size = layer.size {
                    if visible[layer.id] != nil { visible[layer.id] = size }
                } else {
                    visible[layer.id] = nil
                }
            }
            return visible
        }

        func found(atLeast: Int?, descending: Bool?, part: String?) -> [String] {
            let matches = visible.filter { entry in
                entry.value >= atLeast ?? 0
                    && (part.map { "file:\(entry.key)".lowercased().contains($0.lowercased()) } ?? true)
            }
            return matches.sorted { left, right in
                if let descending, left.value != right.value { return descending == (left.value > right.value) }
                return left.key < right.key
            }.map(\.key)
        }
    }

    @Test(.tags(.model), arguments: TestScale.seeds(24))
    func `pages are the parts of one filtered and sorted list, in memory, on the disk and under edits`(
        seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed: seed)
        let fixture = try await QueryFixture.open(hasUpstream: false) { $0.memoryByteCountMax = 4_096 }
        var naive = Naive()
        var sequence: Int64 = 0
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 6) {
            for _ in 0..<random.below(60) {
                sequence += 1
                let id = "\(random.below(2) == 0 ? "f" : "G")\(random.below(80))"
                let isDelete = random.below(5) == 0
                let size = random.below(EntityFindTests.upsertedSize)
                naive.base[id] = isDelete ? nil : size
                try await fixture.input.feed([
                    isDelete
                        ? Lines.delete(sequence, id: id)
                        : EventLine.change(
                            #"{"id":"\#(id)","size":\#(size)}"#, library: "a", sequence: Int64(sequence))
                ])
            }
            if random.below(2) == 0, let id = naive.visible.keys.sorted().randomElement(using: &random) {
                let size = random.below(3) == 0 ? nil : random.below(EntityFindTests.upsertedSize)
                let name = "p\(walk.step)"
                naive.layers.append((name, id, size))
                try await fixture.cache.update(
                    OptimisticUpdate(
                        pendingID: ByteString(name), library: "a",
                        operations: [
                            size.map {
                                .patch(
                                    type: "file", id: ByteString(id), fields: Array("{\"size\":\($0)}".utf8), unset: [])
                            }
                                ?? .delete(type: "file", id: ByteString(id))
                        ], dependsOn: []))
            } else if random.below(3) == 0, let layer = naive.layers.popLast() {
                try await fixture.cache.rollBack(ByteString(layer.name))
            }
            if random.below(2) == 0 { try await fixture.cache.flush() }
            try await comparePages(fixture, naive, &random, walk)
        }
    }

    private func comparePages(
        _ fixture: QueryFixture, _ naive: Naive, _ random: inout SeededGenerator, _ walk: RandomWalk
    ) async throws {
        let atLeast = random.below(2) == 0 ? nil : random.below(EntityFindTests.upsertedSize)
        let descending = random.below(3) == 0 ? nil : random.below(2) == 0
        let part = random.below(3) == 0 ? ["e:F1", "g", "7"][random.below(3)] : nil
        var members: [String] = []
        if let atLeast { members.append("\"where\":{\"path\":\"/size\",\"gte\":\(atLeast)}") }
        if let descending {
            members.append("\"order\":[{\"path\":\"/size\",\"direction\":\"\(descending ? "desc" : "asc")\"}]")
        }
        var finding = EntityFinding(
            library: "a", rule: try EntityFindTests.rule(members.joined(separator: ",")), countMax: 1 + random.below(9))
        finding.matching = part.map { ByteString($0) }
        let wanted = naive.found(atLeast: atLeast, descending: descending, part: part)
        var found: [String] = []
        repeat {
            let page = try await fixture.cache.find(finding)
            #expect(page.keys.count <= finding.countMax)
            for (key, entity) in zip(page.keys, page.entities) {
                found.append(key.id.description)
                let size = naive.visible[key.id.description]
                #expect(
                    String(decoding: entity, as: UTF8.self).hasSuffix("\"size\":\(size ?? -1)}"), "\(key), \(walk)"
                )
            }
            finding.after = page.next
        } while finding.after != nil
        #expect(found == wanted, "\(walk)")
    }

    @Test func `an entity that changes while the disk is read is found as it is at the end`() async throws {
        let journal = MemoryJournal()
        let fixture = try await QueryFixture.open(journal, hasUpstream: false)
        try await fixture.input.feed((1...5).map { Lines.change(Int64($0)) })
        try await fixture.cache.flush()
        let other = try await QueryFixture.open(MemoryJournal(store: await journal.store.copy()), hasUpstream: false)
        try await fixture.cache.close()
        let store = MemoryJournal(store: journal.store)
        let reopened = try await QueryFixture.open(store, hasUpstream: false)
        await store.pauseLoads()
        let rule = try EntityFindTests.rule("\"where\":{\"path\":\"/n\",\"lte\":4}")
        async let found = reopened.cache.find(EntityFinding(library: "a", rule: rule, countMax: 10))
        await store.waitUntilHeld()
        try await reopened.cache.clear(library: "a")
        await store.resumeLoads()
        #expect(try await found.keys == [])
        #expect(
            try await keys(other, EntityFinding(library: "a", rule: rule, countMax: 10)) == ["f1", "f2", "f3", "f4"])
    }

    @Test func `a search for a type or library that nobody knows finds nothing`() async throws {
        let fixture = try await QueryFixture.open(hasUpstream: false)
        let found = try await fixture.cache.find(
            EntityFinding(library: "none", rule: try EntityFindTests.rule(), countMax: 1))
        #expect(found.keys == [] && found.next == nil && found.readCount == 0)
    }
}
