// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkModel
import TidemarkStore

/// The example in Sources/TidemarkStore/Flush/EvictedRecord.swift.
func exampleTidemarkStore1(cache: SyncCache) async throws {
    func apply(_ changes: EvictedChanges, to log: inout [EvictedRecord]) {
        if changes.replacesAll { log = [] }
        log += changes.records
    }
}

/// The example in Sources/TidemarkStore/Flush/FlushBatch.swift.
func exampleTidemarkStore2(cache: SyncCache) async throws {
    func write(_ flush: FlushBatch, to entities: inout [StoredKey: [UInt8]]) {
        entities = entities.filter { !flush.clearedLibraries.contains($0.key.library) }
        for row in flush.rows {
            switch row.change {
            case .insert, .update: entities[flush.key(of: row)] = flush.payload(of: row)
            case .stamp: break
            case .delete: entities[flush.key(of: row)] = nil
            }
        }
    }
}

/// The example in Sources/TidemarkStore/Flush/FlushRow.swift.
func exampleTidemarkStore3(cache: SyncCache) async throws {
    func apply(_ row: FlushRow, of flush: FlushBatch, to entity: inout StoredEntity) {
        if row.change == .update { entity.payload = flush.payload(of: row) }
        entity.fields = flush.fields(of: row)
        entity.sequence = row.sequence
        entity.generation = row.generation
        entity.writtenAt = row.writtenAt
    }
}

/// The example in Sources/TidemarkStore/Flush/FlushTombstone.swift.
func exampleTidemarkStore4(cache: SyncCache) async throws {
    func apply(_ changes: [FlushTombstone], to tombstones: inout [StoredKey: Tombstone]) {
        for change in changes { tombstones[change.key] = change.tombstone }
    }
}

/// The example in Sources/TidemarkStore/Flush/LoadedEntities.swift.
func exampleTidemarkStore5(cache: SyncCache) async throws {
    func load(_ keys: [StoredKey], from stored: [StoredKey: StoredEntity]) -> LoadedEntities {
        LoadedEntities(entities: keys.compactMap { stored[$0] })
    }
}

/// The example in Sources/TidemarkStore/Flush/RecoveredState.swift.
func exampleTidemarkStore6(cache: SyncCache) async throws {
    func recover(_ libraries: [LibraryRecord], lastRow: Int64) -> RecoveredState {
        var state = RecoveredState()
        state.libraries = libraries
        state.lastRow = lastRow
        return state
    }
}

/// The example in Sources/TidemarkStore/Flush/StoredEntity.swift.
func exampleTidemarkStore7(cache: SyncCache) async throws {
    func stored(_ row: FlushRow, of flush: FlushBatch) -> StoredEntity {
        StoredEntity(
            key: flush.key(of: row), row: row.row, payload: flush.payload(of: row), fields: flush.fields(of: row),
            sequence: row.sequence, generation: row.generation, writtenAt: row.writtenAt)
    }
}

/// The example in Sources/TidemarkStore/Flush/StoredID.swift.
func exampleTidemarkStore8(cache: SyncCache) async throws {
    let short = StoredID("42")
    let long = StoredID("5F0C3A51-8E0B-4D5C-9C55-0A6B7F1D2E3A")
    print(short.byteCount, long.byteCount)  // 2 16
}

/// The example in Sources/TidemarkStore/Flush/StoredID.swift.
func exampleTidemarkStore9(cache: SyncCache) async throws {
    let key = StoredKey(library: 0, type: 3, id: StoredID("42"))
    print(key.id.text)
}

/// The example in Sources/TidemarkStore/Layers/LayerChange.swift.
func exampleTidemarkStore10(cache: SyncCache) async throws {
    let key = StoredKey(library: 0, type: 3, id: StoredID("42"))
    let rename = LayerChange.patch(key, fields: Array(#"{"name":"Dawn"}"#.utf8), unset: ["draft"])
    print(rename.key == key)  // true
}

/// The example in Sources/TidemarkStore/Layers/LayerSending.swift.
func exampleTidemarkStore11(cache: SyncCache) async throws {
    let request = MutationRequest(method: "photo.rename", input: ["id": "42", "name": "Dawn"])
    var sending = LayerSending(request)
    sending.attemptCount = 1
}
