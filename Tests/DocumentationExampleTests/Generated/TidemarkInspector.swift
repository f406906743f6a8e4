// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkInspector
import TidemarkModel

/// The example in Sources/TidemarkInspector/InspectorFile.swift.
func exampleTidemarkInspector1(cache: SyncCache) async throws {
    guard let file = InspectorFile(path: "/inspector.js") else { return }
    print("Content-Type: \(file.contentType)")
    print("Content-Length: \(file.bytes.count)")
}
