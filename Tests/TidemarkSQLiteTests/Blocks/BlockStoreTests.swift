import TestTraits
import Testing
import TidemarkFaultDisk
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// The store of blocks against a dictionary, under random flushes, reopenings and transactions that fail.
@Suite(.pooled) struct BlockStoreTests {
    @Test(arguments: TestScale.seeds(8)) func `random flushes leave what a dictionary has, at every opening`(
        seed: UInt64
    ) throws {
        // The last two with a thread that reads ahead.
        let readsAhead = seed > 6
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        // A fault disk avoids real syncs.
        let disk = try FaultDisk(folder: folder.path)
        defer { withExtendedLifetime(disk) {} }
        let keyCount = [20, 300, 800][Int(seed % 3)]
        var model = BlockStoreModel(seed: Int(seed), keyCount: keyCount)
        var file = try BlockStoreFile(folder.file(), readsAhead: readsAhead)
        let removalShare = [20, 200, 500][random.below(3)]
        var run = RandomWalk(seed: seed)
        while run.next(of: 24) {
            let rowCount = 1 + random.below(keyCount)
            let flush = model.flush(rowCount: rowCount, removalShare: removalShare, clears: random.chance(100))
            let outcome = try file.outcome(of: flush)
            #expect(outcome.replacedCounts == [:])
            #expect(outcome.damaged.isEmpty)
            if run.step % 8 == 1 || random.chance(100) {
                file.store.checkInvariants()
                file = try BlockStoreFile(folder.file(), readsAhead: readsAhead)
                file.store.checkInvariants()
                #expect(file.store.damage == BlockStore.Damage())
                #expect(!file.store.isRebuilt, "\(run)")
            }
            if run.step % 5 == 1 {
                let differences = try model.differences(from: file)
                #expect(differences == [], "\(run)")
                // A page of keys first, so that only some segments are read.
                let someKeys = model.keys.filter { _ in random.chance(100) } + model.keys
                let isSame = try file.entities(inSnapshot: someKeys).dropFirst(someKeys.count - model.keys.count)
                    .elementsEqual(model.keys.map { model.entities[$0] })
                #expect(isSame, "\(run): a snapshot has something else")
                let isInOrder = try file.walkedKeys() == model.keysInOrder
                #expect(isInOrder, "\(run): other keys are walked over")
            }
        }
        #expect(file.store.entityCount == model.entities.count)
        let differences = try model.differences(from: file)
        #expect(differences == [])
        // Blocks were merged: far fewer are left than were written.
        let blockCount = try file.blockCount()
        #expect(blockCount < file.store.lastNumber / 2, "\(blockCount) of \(file.store.lastNumber)")
        // With many changes every segment was written once, so that removals were dropped.
        #expect(file.store.storedThrough > 0 || keyCount < 1_000)
    }

    @Test func `a transaction that fails leaves the store as it was, and the next one succeeds`() throws {
        let folder = try TemporaryFolder()
        // A fault disk avoids real syncs.
        let disk = try FaultDisk(folder: folder.path)
        defer { withExtendedLifetime(disk) {} }
        var model = BlockStoreModel(seed: 21, keyCount: 500)
        let file = try BlockStoreFile(folder.file())
        for step in 0..<30 {
            let flush = model.flush(rowCount: 200, removalShare: 100, clears: step % 9 == 6)
            if step % 3 == 0 {
                struct Refused: Error {}
                let before = (file.store.lastNumber, file.store.entityCount, file.store.storedThrough)
                #expect(throws: Refused.self) {
                    try file.file.connection.transaction {
                        _ = try file.store.stage(flush, dictionaries: BlockDictionaries())
                        try file.store.publish { throw Refused() }
                    }
                }
                file.store.discard()
                file.store.checkInvariants()
                let after = (file.store.lastNumber, file.store.entityCount, file.store.storedThrough)
                #expect(before == after)
            }
            try file.write(flush)
            file.store.checkInvariants()
        }
        let differences = try model.differences(from: file)
        #expect(differences == [])
    }
}
