import TestTraits
import Testing
import TidemarkModel
import TidemarkTesting

@Suite(.pooled) struct SyntheticStreamTests {
    @Test func `one seed gives one stream, on every machine`() {
        var settings = SyntheticSettings()
        settings.entityCount = 300
        settings.updatesPerEntity = 3
        settings.popularity = .zipf
        settings.typeCount = 10
        settings.libraryCount = 3
        settings.batchShare = Share(partsPerMillion: 20_000)
        settings.deleteShare = Share(partsPerMillion: 50_000)
        settings.mergeShare = Share(partsPerMillion: 50_000)
        settings.gapRate = Share(partsPerMillion: 10_000)
        settings.disorderRate = Share(partsPerMillion: 10_000)
        settings.duplicateRate = Share(partsPerMillion: 10_000)
        settings.badLineRate = Share(partsPerMillion: 10_000)
        settings.heartbeatInterval = 50
        settings.epoch = "a"
        let first = Everything(settings)
        let second = Everything(settings)
        #expect(first.stream == second.stream)
        #expect(first.log == second.log)
        // The digest is pinned: it changes only with the generator, and then the recorded benchmarks must be run again.
        #expect(first.digest == 4_577_754_553_160_492_122)
        settings.seed = 2
        #expect(Everything(settings).stream != first.stream)
    }

    @Test func `without faults the stream is the log`() {
        var settings = SyntheticSettings()
        settings.entityCount = 500
        settings.libraryCount = 2
        let all = Everything(settings)
        #expect(all.stream == all.log)
        #expect(all.counts.lines == 1_000)
        #expect(all.counts.events == 1_000)
        #expect(all.counts.bytes == all.stream.count)
    }

    @Test func `faults change the stream and leave the log alone`() {
        var settings = SyntheticSettings()
        settings.entityCount = 500
        let clean = Everything(settings)
        settings.gapRate = Share(partsPerMillion: 100_000)
        settings.disorderRate = Share(partsPerMillion: 100_000)
        settings.badLineRate = Share(partsPerMillion: 100_000)
        let faulty = Everything(settings)
        #expect(faulty.log == clean.log)
        #expect(faulty.stream != clean.stream)
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `every rate is near the requested one`(seed: UInt64) {
        var settings = SyntheticSettings()
        settings.seed = seed
        settings.entityCount = 2_000
        settings.updatesPerEntity = 9
        settings.resourceByteCount = 0
        settings.deleteShare = Share(partsPerMillion: 100_000)
        settings.mergeShare = Share(partsPerMillion: 200_000)
        settings.gapRate = Share(partsPerMillion: 50_000)
        settings.disorderRate = Share(partsPerMillion: 40_000)
        settings.duplicateRate = Share(partsPerMillion: 30_000)
        settings.badLineRate = Share(partsPerMillion: 20_000)
        settings.heartbeatInterval = 100
        let counts = Everything(settings).counts
        #expect(counts.events == 20_000)
        #expect(isNear(counts.deletes, 1_800))
        #expect(isNear(counts.merges, 3_600))
        #expect(isNear(counts.dropped, 1_000))
        #expect(isNear(counts.delayed, 800))
        #expect(isNear(counts.duplicated, 600 * 89 / 100))
        #expect(isNear(counts.broken, 400))
        #expect(counts.heartbeats == 201)
        let arrived = counts.events - counts.dropped + counts.duplicated + counts.heartbeats
        #expect(counts.lines == arrived)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `a library's first and last events arrive, and every whole event is in the log`(seed: UInt64) {
        var settings = SyntheticSettings()
        settings.seed = seed
        settings.entityCount = 60
        settings.libraryCount = 5
        settings.resourceByteCount = 0
        settings.gapRate = Share(partsPerMillion: 300_000)
        settings.badLineRate = Share(partsPerMillion: 300_000)
        settings.disorderRate = Share(partsPerMillion: 300_000)
        settings.duplicateRate = Share(partsPerMillion: 300_000)
        let all = Everything(settings)
        let log = all.log.split(separator: UInt8(ascii: "\n"))
        let known = Set(log)
        let lines = all.stream.split(separator: UInt8(ascii: "\n"))
        let whole = lines.filter(known.contains)
        #expect(lines.count == all.counts.lines)
        #expect(lines.count - whole.count == all.counts.broken)
        // The head of a line depends only on the length of the library's id, which is the same for all.
        let byLibrary = Dictionary(grouping: log) { $0.prefix(51) }
        #expect(byLibrary.count == 5)
        for (head, events) in byLibrary {
            #expect(lines.first { $0.starts(with: head) } == events.first)
            #expect(events.last.map(whole.contains) == true)
        }
    }

    @Test func `resources have about the size that was asked for`() {
        for wanted in [435, 600, 2_000, 20_000] {
            var settings = SyntheticSettings()
            settings.entityCount = 200
            settings.updatesPerEntity = 0
            settings.resourceByteCount = wanted
            let all = Everything(settings)
            let envelope = all.stream.count / 200 - wanted
            #expect((100..<200).contains(envelope), "\(wanted) bytes came with \(envelope) around them")
        }
    }

    @Test func `a batch holds different entities of one library and one type`() {
        var settings = SyntheticSettings()
        settings.entityCount = 1_000
        settings.updatesPerEntity = 4
        settings.libraryCount = 2
        settings.typeCount = 2
        settings.batchShare = Share(partsPerMillion: Share.whole)
        settings.batchMemberCount = 40
        let counts = Everything(settings).counts
        #expect(counts.resources == 5_000)
        #expect(counts.batches == counts.events)
        #expect(counts.events < 200)
    }

    @Test func `keys are those of the entities in the stream`() {
        var settings = SyntheticSettings()
        settings.entityCount = 10
        settings.libraryCount = 2
        let stream = SyntheticStream(settings)
        let text = String(decoding: Everything(settings).stream, as: UTF8.self)
        for index in 0..<10 {
            let key = stream.key(ofEntity: index)
            #expect(key.type == "file")
            #expect(text.contains("\"id\":\"\(key.id)\""))
            #expect(text.contains("\"library_id\":\"\(key.library)\""))
        }
        #expect(Set((0..<10).map { stream.key(ofEntity: $0) }).count == 10)
    }

    @Test func `settings that make no sense are refused with a message`() {
        #expect(SyntheticSettings().problem == nil)
        var settings = SyntheticSettings()
        settings.entityCount = 0
        #expect(settings.problem != nil)
        settings = SyntheticSettings()
        settings.gapRate = Share(partsPerMillion: 600_000)
        settings.badLineRate = Share(partsPerMillion: 600_000)
        #expect(settings.problem != nil)
    }

    /// Whether a count is within 15 % and 30 of the expected one.
    private func isNear(_ count: Int, _ expected: Int) -> Bool {
        abs(count - expected) <= expected * 15 / 100 + 30
    }
}

/// A whole stream and its log.
private struct Everything {
    var stream: [UInt8] = []
    var log: [UInt8] = []
    var counts: SyntheticCounts

    init(_ settings: SyntheticSettings) {
        var generator = SyntheticStream(settings)
        while let chunk = generator.nextChunk(includingLog: true) {
            stream += chunk.stream
            log += chunk.log
        }
        counts = generator.counts
    }

    var digest: UInt64 { stream.withUnsafeBytes { Checksum.xxh64($0) } }
}
