import Foundation
import Logging
import Photos
import ServiceLifecycle
import Tidemark
import TidemarkSQLite
import TidemarkService

/// A service that feeds a cache from standard input and answers from it, until it is told to end.
///
///     my-event-source | sync-service /var/lib/photos/cache.db
@main struct SyncService {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: sync-service DATABASE < EVENTS\n".utf8))
            exit(64)
        }
        let logger = Logger(label: "sync-service")
        var configuration = CacheConfiguration()
        configuration.logger = logger
        // Half of the memory that a cache takes by default; the rest is read from the database.
        configuration.memoryByteCountMax = 128 << 20
        let cache = try await SyncCache.open(
            path: CommandLine.arguments[1], configuration: configuration, queryUpstream: BestPhotos())
        let group = ServiceGroup(
            services: [try SyncCacheService(cache, fileDescriptor: 0), Reporter(cache: cache, logger: logger)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }
}

/// Stands for the part of a program that shows something: it logs the list whenever it changes.
private struct Reporter: Service {
    let cache: SyncCache
    let logger: Logger

    func run() async throws {
        let updates = try cache.observe(Photo.self, method: BestPhotos.method)
        try await cancelWhenGracefulShutdown {
            for try await update in updates {
                logger.info("best photos", metadata: ["names": .array(update.items.map { .string($0.name) })])
            }
        }
    }
}
