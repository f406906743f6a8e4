import Foundation
import Photos
import Tidemark
import TidemarkSQLite

/// Applies events from standard input and prints the best photos after every change.
///
///     watch-list cache.db < events.ndjson
@main struct WatchList {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: watch-list DATABASE < EVENTS\n".utf8))
            exit(64)
        }
        let cache = try await SyncCache.open(path: CommandLine.arguments[1], queryUpstream: BestPhotos())
        let updates = try cache.observe(Photo.self, method: BestPhotos.method)
        let printing = Task {
            for try await update in updates { show(update.items) }
        }
        while let line = readLine(strippingNewline: false) {
            try await cache.ingest(Array(line.utf8))
        }
        // The end: whatever of the last changes was not shown yet is shown now.
        printing.cancel()
        _ = await printing.result
        show(try await cache.query(Photo.self, method: BestPhotos.method).items)
        try await cache.close()
    }

    private static func show(_ photos: [Photo]) {
        print(photos.isEmpty ? "no photos yet" : photos.map { "\($0.name) \($0.starCount)" }.joined(separator: ", "))
    }
}
