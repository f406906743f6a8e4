// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkModel
import TidemarkReferenceModel

/// The example in Sources/TidemarkReferenceModel/Cache/ReferenceCache.swift.
func exampleTidemarkReferenceModel1(cache: SyncCache) async throws {
    var model = ReferenceCache(now: 0)
    let key = ReferenceKey(library: [], type: Array("file".utf8), id: Array("f1".utf8))
    let file = try ReferenceJSONParser.parse(Array(#"{"id":"f1","name":"a.txt"}"#.utf8))
    guard model.transact([.put(key, file)], in: key.library) else { return }
    print(model.view(key).json == file)
}

/// The example in Sources/TidemarkReferenceModel/Decoding/ReferenceDecoder.swift.
func exampleTidemarkReferenceModel2(cache: SyncCache) async throws {
    let decoder = ReferenceDecoder(configuration: ReferenceConfiguration())
    switch decoder.decode(Array(#"{"sequence":1,"event":"Refresh"}"#.utf8)) {
    case .event(let event): print(event.sequence ?? 0)
    case .rejected(let rejection): print(rejection)
    case .blank, .control, .message: break
    }
}

/// The example in Sources/TidemarkReferenceModel/Gate/ReferenceModel.swift.
func exampleTidemarkReferenceModel3(cache: SyncCache) async throws {
    var model = ReferenceModel(configuration: ReferenceConfiguration())
    let kind = #"{"ResourceDeleted":{"resource_type":"file","resource_id":"f1"}}"#
    model.ingest(Array(#"{"sequence":1,"event":\#(kind)}"#.utf8))
    model.endOfInput()
    print(model.summary.counts.applied, model.summary.entities)
}
