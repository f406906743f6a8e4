import TestTraits
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkLiveViews
import TidemarkModel
import TidemarkReferenceModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting
import TidemarkViews

/// Entities that cannot be read in the middle of a step, because the disk fails for a moment: nobody is shown a result
/// that is made without them.
@Suite(.pooled) struct UnreadableEntityTests {
    private static let rule =
        #"{"from":{"type":"t","as":"x"},"select":{"n":"x/n","text":"x/text"},"#
        + #""order":[{"path":"/n"}],"limit":3}"#

    @Test(arguments: TestScale.seeds(20))
    func `a row of an entity that cannot be read is not shown, and comes once it can be`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let disk = try FaultDisk(folder: folder.path)
        var options = SQLiteJournal.Configuration(path: folder.path + "/views.db")
        if random.chance(500) { options.blockEntityCountMin = 4 }
        var configuration = CacheConfiguration()
        configuration.memoryByteCountMax = 0
        var world = try await LiveWorld.open(
            try await SQLiteJournal.open(options), configuration, clock: SystemClock())
        var numbers: [Int: Int] = [:]
        var texts: Set<String> = []
        func put(_ id: Int) async throws {
            numbers[id] = random.below(100)
            let text = #"{"n":\#(numbers[id] ?? 0),"text":"text of \#(id)"}"#
            texts.insert(text)
            let line = EventLine.change(#"{"id":"\#(id)",\#(text.dropFirst())"#, type: "t")
            try await world.cache.ingest(Array((line + "\n").utf8))
        }
        for id in 0..<8 { try await put(id) }
        try await world.cache.flush()
        let subscription = try await world.observe(rule: Self.rule)
        let request = world.request(.rule(try ViewRule(json: Array(Self.rule.utf8))))
        for step in 0..<12 {
            let comment = "seed \(seed), step \(step)"
            disk.plan(.readFails, at: disk.readCount + 1 + random.below(3), count: 1 + random.below(8), seed: 0)
            try await put(random.below(8))
            do throws(StorageError) { try await world.cache.flush() } catch { #expect(error.code == .inputOutput) }
            do {
                let rows = try await world.read(request).rows.map { String(decoding: $0, as: UTF8.self) }
                #expect(texts.isSuperset(of: rows), "\(comment): read \(rows)")
            } catch let error as CacheError {
                #expect(error.code == .storageFailed, "\(comment): \(error)")
            }
            let told = try #require(world.sink.shown(subscription)).rows
            let rows = (told.elements ?? []).map { String(decoding: $0.written, as: UTF8.self) }
            #expect(texts.isSuperset(of: rows), "\(comment): told \(rows)")
            disk.heal()
            try await put(random.below(8))
            try await world.cache.flush()
            let read = try await world.read(request).rows.map { String(decoding: $0, as: UTF8.self) }
            let order = numbers.sorted { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }.prefix(3)
            #expect(read == order.map { #"{"n":\#($0.value),"text":"text of \#($0.key)"}"# }, "\(comment)")
            let shown = try #require(world.sink.shown(subscription)).rows
            #expect((shown.elements ?? []).map { String(decoding: $0.written, as: UTF8.self) } == read, "\(comment)")
        }
        try await world.cache.close()
    }
}
