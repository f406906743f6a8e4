import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// Rows beside the layers: requests as they left, and renamings of temporary ids.
@Suite(.pooled) struct RequestRowTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private let key = StoredKey(library: 0, type: 0, id: .text("t1"))
    private let real = StoredKey(library: 0, type: 0, id: .text("R1"))

    private var layer: LayerRecord {
        LayerRecord(
            number: 1, pendingID: "p1", library: 0, createdAt: 1,
            changes: [.patch(real, fields: Array(#"{"n":1}"#.utf8), unset: [])],
            sending: LayerSending(MutationRequest(method: "m", compactInput: Array("1".utf8))))
    }

    private var sent: LayerRecord {
        LayerRecord(
            number: 2, pendingID: "p1", library: 0, createdAt: 1,
            changes: [.patch(key, fields: Array(#"{"n":1}"#.utf8), unset: [])],
            sending: LayerSending(MutationRequest(method: "m", compactInput: Array(#""t1""#.utf8))))
    }

    private var renamings: [RenamingRecord] {
        [
            RenamingRecord(
                number: 3, library: 0, type: 0, temporary: "t1", real: "R1", json: Array(#""R1""#.utf8)),
            RenamingRecord(number: 4, library: 0, type: nil, temporary: "-1", real: "42", json: Array("42".utf8)),
            RenamingRecord(
                number: 5, library: 0, type: 0, temporary: "t2", real: "R2", json: Array(#""R2""#.utf8), isEnded: true),
        ]
    }

    private func write(_ path: String) async throws {
        let journal = try await SQLiteJournal.open(path: path)
        var cache = SmallCache()
        cache.put(EntityKey(type: "file", id: "1"), #"{"id":"1"}"#)
        var flush = cache.take()
        flush.layers = [layer]
        flush.sentRequests = [sent]
        flush.renamings = renamings
        try await journal.commit(flush)
        try await journal.close()
    }

    private func recovered(_ path: String) async throws -> RecoveredState {
        let journal = try await SQLiteJournal.open(path: path)
        let state = try await journal.recover()
        try await journal.close()
        return state
    }

    @Test func `they are read back whole, and are no layers`() async throws {
        let path = folder.file()
        try await write(path)
        let state = try await recovered(path)
        #expect(state.layers == [layer])
        #expect(state.sentRequests == [sent])
        #expect(state.renamings == renamings)
        let reader = try SQLiteReader(path: path)
        #expect(try reader.layerCount() == 1)
        #expect(try reader.layers().count == 1)
    }

    @Test func `they are removed by their numbers, and replaced`() async throws {
        let path = folder.file()
        try await write(path)
        let journal = try await SQLiteJournal.open(path: path)
        _ = try await journal.recover()
        var flush = FlushBatch()
        flush.removedLayers = [2, 3]
        var ended = renamings[1]
        ended.isEnded = true
        flush.renamings = [ended]
        try await journal.commit(flush)
        try await journal.close()
        let state = try await recovered(path)
        #expect(state.sentRequests == [])
        #expect(state.renamings == [ended, renamings[2]])
    }

    @Test func `a flipped bit in any of them is found, and the others stay`() async throws {
        for number in 2...5 {
            let own = try TemporaryFolder()
            let path = own.file()
            try await write(path)
            SQLiteShell.run(path, ["UPDATE layers SET checksum = checksum + 1 WHERE number = \(number)"])
            let state = try await recovered(path)
            #expect(state.layers == [layer])
            #expect(state.sentRequests == (number == 2 ? [] : [sent]))
            #expect(state.renamings == renamings.filter { $0.number != number })
        }
    }

    @Test func `a renaming with a forged body is refused`() throws {
        var names = LayerNames(libraries: [""], types: ["file"])
        for body: [UInt8] in [[], [0x30], [0x20, 0, 0], [0x30, 0, 0], [0x30, 0, 1, 0x7B], [0x30, 0, 2, 0x30, 0x31]] {
            body.withUnsafeBytes { body in
                #expect(throws: PayloadError.self) {
                    _ = try RenamingCodec.decode(body, number: 1, library: 0, temporary: "t", &names)
                }
            }
        }
    }
}
