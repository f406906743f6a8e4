// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkModel
import TidemarkRecording

/// The example in Sources/TidemarkRecording/Reading/RecordingReader.swift.
func exampleTidemarkRecording1(cache: SyncCache) async throws {
    let reader = try RecordingReader("session.rec")
    while let entry = try reader.next() {
        print(entry.number, entry.at, entry.step.name)
    }
    print(reader.endReason ?? "the recording process was killed")
}

/// The example in Sources/TidemarkRecording/Replaying/Replayer.swift.
func exampleTidemarkRecording2(cache: SyncCache) async throws {
    func replay(_ path: String, into journal: any Journal) async throws {
        let reader = try RecordingReader(path)
        let replayer = try await Replayer(reader.setup, policy: CachePolicy(), journal: journal)
        while let entry = try reader.next() { try await replayer.apply(entry) }
        print(replayer.entryCount, replayer.divergence?.line ?? 0)
        try await replayer.close()
    }
}
