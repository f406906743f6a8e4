// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkCombine
import TidemarkModel

/// The example in Sources/TidemarkCombine/QueryObject.swift.
func exampleTidemarkCombine1(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
    }
    @MainActor func show() throws {
        let photos = QueryObject(try cache.observe(Photo.self, method: "photos.list"))
        photos.start()
        let subscription = photos.objectWillChange.sink { @Sendable _ in print("changed") }
        subscription.cancel()
        photos.stop()
    }
}
