// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkModel
import TidemarkService

/// The example in Sources/TidemarkService/SyncCacheService.swift.
func exampleTidemarkService1(cache: SyncCache) async throws {
    let service = try SyncCacheService(cache, fileDescriptor: 0)  // standard input
    try await service.run()  // until shutdown or cancellation
}
