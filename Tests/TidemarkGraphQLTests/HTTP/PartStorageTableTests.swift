import Foundation
import TestTraits
import Testing
import TidemarkTestKit

/// The table of Protocol/graphql.md about storing parts: each row has transcripts, one for each way of writing.
@Suite(.pooled) struct PartStorageTableTests {
    private static let transcripts = [
        "a payload comes": "observed", "a local write": "local-write", "an event": "event",
        "a fragment fails": "failed", "the delivery dies": "die", "a second observer": "joined",
        "the last observer ends": "cancel",
    ]

    @Test func `each row of the page about storing parts has two transcripts`() throws {
        let rows = try PageTable.rows(of: "Storing parts")
        #expect(Set(rows) == Set(Self.transcripts.keys))
        let folder = ProtocolVector.protocolFolder.appending(path: "vectors/sessions")
        for name in Self.transcripts.values {
            for write in ["complete", "incremental"] {
                let file = folder.appending(path: "graphql-parts-\(name)-\(write).ndjson")
                #expect(FileManager.default.fileExists(atPath: file.path), "\(file.lastPathComponent)")
            }
        }
    }
}
