import TestTraits
import Testing
import TidemarkFaultDisk
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// The unexpected things that a flush meets in blocks, and libraries that it clears.
@Suite(.pooled) struct BlockStoreOutcomeTests {
    private let folder: TemporaryFolder
    private let disk: FaultDisk
    private let file: BlockStoreFile
    private let keys = (0..<4).map { StoredKey(library: 0, type: 0, id: .text(ByteString("key-\($0)"))) }

    init() throws {
        folder = try TemporaryFolder()
        // A fault disk avoids real syncs.
        disk = try FaultDisk(folder: folder.path)
        file = try BlockStoreFile(folder.file())
    }

    private func flush(_ changes: [(StoredKey, FlushRow.Change)]) -> FlushBatch {
        var flush = FlushBatch()
        for (key, change) in changes {
            let hasPayload = change == .insert || change == .update
            let entity = BlockStoredEntity(
                key: key, sequence: 1, generation: 0, writtenAt: 5,
                payload: hasPayload ? Array(#"{"value":"\#(key.id.text)"}"#.utf8) : [])
            BlockStoreModel.append(key, change, entity, to: &flush)
        }
        return flush
    }

    @Test func `a new entity whose key is there is counted, unless the flush removes or clears it`() throws {
        let other = StoredKey(library: 1, type: 0, id: keys[0].id)
        #expect(try file.outcome(of: flush(keys.map { ($0, .insert) } + [(other, .insert)])).replacedCounts == [:])
        let replacing = flush([(keys[0], .insert), (keys[1], .delete), (keys[1], .insert), (keys[2], .update)])
        #expect(try file.outcome(of: replacing).replacedCounts == [0: 1])
        var clearing = flush([(keys[0], .insert), (other, .insert)])
        clearing.clearedLibraries = [0]
        #expect(try file.outcome(of: clearing).replacedCounts == [1: 1])
        #expect(file.store.entityCount == 2)
    }

    @Test func `stamps that cannot be renewed are reported, and nothing else changes`() throws {
        try file.write(flush([(keys[0], .insert)]))
        var damaged = try file.outcome(of: flush([(keys[0], .stamp), (keys[1], .stamp)])).damaged
        #expect(damaged.map(\.key) == [keys[1]])
        #expect(damaged.map(\.fault) == [.rowMissing])
        // The stamps of the first one were renewed into another block, which is damaged now.
        try file.file.connection.execute(
            "UPDATE blocks SET body = substr(body, 1, length(body) - 3) || x'000000' WHERE number = 2")
        damaged = try file.outcome(of: flush([(keys[0], .stamp)])).damaged
        #expect(damaged.map(\.key) == [keys[0]])
        #expect(damaged.map(\.row) == [2])
        #expect(damaged.map(\.fault) != [.rowMissing])
        #expect(throws: PayloadError.self) { try file.read(keys[0]) }
        var clearing = flush([(keys[0], .stamp)])
        clearing.clearedLibraries = [0]
        damaged = try file.outcome(of: clearing).damaged
        #expect(damaged.map(\.fault) == [.rowMissing])
        #expect(file.store.entityCount == 0)
    }

    @Test func `a cleared library loses all blocks, those that wait to be merged too, and no other library does`()
        throws
    {
        var file = file
        var model = BlockStoreModel(seed: 3, keyCount: 600)
        try file.write(model.flush(rowCount: 300, removalShare: 0))
        let victims = try HeldVictims(folder.file())
        file = try BlockStoreFile(folder.file(), victims: victims)
        for _ in 0..<9 { try file.write(model.flush(rowCount: 300, removalShare: 100)) }
        #expect(file.store.planner.mergingCount > 0)
        var clearing = FlushBatch()
        model.clear(0, in: &clearing)
        try file.write(clearing)
        #expect(victims.requestedCount > file.store.planner.mergingCount)
        file.store.checkInvariants()
        #expect(file.store.entityCount == model.entities.count)
        let blocks = try PreparedStatement.number(file.file.connection.handle, "SELECT count(*) FROM blocks") ?? 0
        #expect(blocks == file.store.planner.blockCount)
        // The ordinals of these victims are given to new blocks.
        for _ in 0..<3 { try file.write(model.flush(rowCount: 300, removalShare: 0)) }
        victims.isReleased = true
        for _ in 0..<10 { try file.write(model.flush(rowCount: 300, removalShare: 100)) }
        file.store.checkInvariants()
        let again = try BlockStoreFile(folder.file())
        #expect(!again.store.isRebuilt)
        #expect(try model.differences(from: again) == [])
        #expect(try again.walkedKeys() == model.keysInOrder)
    }
}
