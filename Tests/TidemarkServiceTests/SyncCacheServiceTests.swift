import Foundation
import Logging
import ServiceLifecycle
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkService
import TidemarkTesting
import UnixSignals

// The example of the docstring, word for word: it compiles.
func run(_ cache: SyncCache, beside server: any Service, logger: Logger) async throws {
    let group = ServiceGroup(
        services: [try SyncCacheService(cache, fileDescriptor: 0), server],
        gracefulShutdownSignals: [.sigterm], logger: logger)
    try await group.run()
}

@Suite(.pooled) struct SyncCacheServiceTests {
    private let line =
        EventLine.change(#"{"id":"1"}"#, type: "note", library: "l", sequence: 1)
    private let key = EntityKey(library: "l", type: "note", id: "1")

    private func group(_ service: SyncCacheService) -> ServiceGroup {
        ServiceGroup(services: [service], logger: Logger(label: "test"))
    }

    @Test func `a shutdown flushes and closes the cache`() async throws {
        let store = MemoryJournal.Store()
        let cache = try await SyncCache.open(journal: MemoryJournal(store: store))
        let group = group(SyncCacheService(cache))
        async let running: Void = group.run()
        try await cache.ingest(Array(line.utf8))
        await group.triggerGracefulShutdown()
        try await running
        let reopened = try await SyncCache.open(journal: MemoryJournal(store: store))
        #expect(try await reopened.entity(key) != .missing(.absent))
        try await reopened.close()
    }

    @Test func `the lines of a descriptor are applied; its end does not end the service`() async throws {
        let pipe = Pipe()
        let store = MemoryJournal.Store()
        let cache = try await SyncCache.open(journal: MemoryJournal(store: store))
        let service = try SyncCacheService(cache, fileDescriptor: pipe.fileHandleForReading.fileDescriptor)
        let group = group(service)
        async let running: Void = group.run()
        try pipe.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        try pipe.fileHandleForWriting.close()
        while await cache.counts().applied == 0, !Task.isCancelled { await Task.yield() }
        #expect(try await cache.entity(key) != .missing(.absent))
        await group.triggerGracefulShutdown()
        try await running
        let reopened = try await SyncCache.open(journal: MemoryJournal(store: store))
        #expect(await reopened.libraries().map(\.cursor) == [EventSequence(1)])
        try await reopened.close()
    }

    @Test func `a shutdown during input stops reading`() async throws {
        let pipe = Pipe()
        let cache = try await SyncCache.open(journal: MemoryJournal())
        let service = try SyncCacheService(cache, fileDescriptor: pipe.fileHandleForReading.fileDescriptor)
        let group = group(service)
        async let running: Void = group.run()
        try pipe.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        while await cache.counts().applied == 0, !Task.isCancelled { await Task.yield() }
        await group.triggerGracefulShutdown()
        try await running
        try pipe.fileHandleForWriting.close()
    }

    @Test func `a cancelled service closes the cache too`() async throws {
        let journal = MemoryJournal()
        let cache = try await SyncCache.open(journal: journal)
        let service = SyncCacheService(cache)
        let task = Task { try await service.run() }
        task.cancel()
        try await task.value
        await #expect(throws: StorageError.self) { try await journal.load([]) }
    }
}
