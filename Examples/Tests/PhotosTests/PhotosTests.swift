import Foundation
import Photos
import Testing
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkTesting

/// Tests as a user of Tidemark writes them, with the tools of `TidemarkTesting`.
@Suite(.timeLimit(.minutes(1))) struct PhotosTests {
    private func line(_ sequence: Int, _ photo: String) -> [UInt8] {
        Array(
            #"{"sequence":\#(sequence),"event":{"ResourceChanged":{"resource_type":"photo","resource":\#(photo)}}}"#
                .utf8)
    }

    @Test func `events keep the best photos in order`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let cache = try await SyncCache.open(path: folder.path("cache.db"), queryUpstream: BestPhotos())
        var updates = try cache.observe(Photo.self, method: BestPhotos.method).makeAsyncIterator()
        #expect(try await updates.next()?.items == [])
        try await cache.ingest(line(1, #"{"id":"1","name":"Sea","star_count":3,"taken_at":1714979289}"#))
        let sea = Photo(id: "1", name: "Sea", starCount: 3, takenAt: Date(timeIntervalSince1970: 1_714_979_289))
        #expect(try await updates.next()?.items == [sea])
        try await cache.ingest(line(2, #"{"id":"2","name":"Dune","star_count":5}"#))
        #expect(try await updates.next()?.items.map(\.name) == ["Dune", "Sea"])
        try await cache.close()
    }

    @Test func `a stream with faults ends as its log does`() async throws {
        var settings = SyntheticSettings()
        settings.seed = 7
        settings.entityCount = 200
        settings.duplicateRate = Share(partsPerMillion: 50_000)
        settings.disorderRate = Share(partsPerMillion: 50_000)
        var source = SyntheticStream(settings)
        var stream: [UInt8] = []
        var log: [UInt8] = []
        while let chunk = source.nextChunk(includingLog: true) {
            stream += chunk.stream
            log += chunk.log
        }
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var contents: [[EntityAnswer]] = []
        for (name, lines) in [("stream.db", stream), ("log.db", log)] {
            let cache = try await SyncCache.open(path: folder.path(name))
            try await cache.ingest(lines)
            var entities: [EntityAnswer] = []
            for index in 0..<settings.entityCount {
                guard case .found(let resource) = try await cache.entity(source.key(ofEntity: index)) else { continue }
                var copy = resource
                copy.writtenAt = 0
                entities.append(.found(copy))
            }
            contents.append(entities)
            try await cache.close()
        }
        #expect(contents[0] == contents[1])
        #expect(contents[1].count == settings.entityCount)
    }
}
