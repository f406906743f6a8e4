import TestTraits
import Testing
import TidemarkFaultDisk
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// Damage in the tables of blocks: what is lost, what is found again, and what is never served.
@Suite(.pooled) struct BlockStoreDamageTests {
    private let folder: TemporaryFolder
    private let disk: FaultDisk
    private var model = BlockStoreModel(seed: 31, keyCount: 300)

    init() throws {
        folder = try TemporaryFolder()
        disk = try FaultDisk(folder: folder.path)
        let file = try BlockStoreFile(folder.file())
        for _ in 0..<12 { try file.write(model.flush(rowCount: 100, removalShare: 150)) }
        try file.file.checkpoint()
    }

    /// Changes rows with SQL, as damage would.
    private func damage(_ sql: String) throws {
        let connection = try BlockConnection(path: folder.file())
        try connection.execute(sql)
    }

    private func reads(_ file: BlockStoreFile) throws -> (right: Int, missing: Int, refused: Int) {
        var reads = (right: 0, missing: 0, refused: 0)
        for (key, entity) in model.entities {
            do {
                let found = try file.read(key)
                if found == entity { reads.right += 1 } else if found == nil { reads.missing += 1 }
                #expect(found == nil || found == entity)
            } catch is PayloadError {
                reads.refused += 1
            }
        }
        return reads
    }

    /// The block with the most entities: its number, and where its directory and its data begin.
    private func largestBlock() throws -> (number: Int64, head: BlockHead, bytes: [UInt8]) {
        let connection = try BlockConnection(path: folder.file())
        let table = try BlockTable(connection.handle)
        var largest: (number: Int64, head: BlockHead, bytes: [UInt8])?
        try table.forEachBlock { number, byteCount in
            guard let bytes = try table.body(number: number), bytes.count > largest?.bytes.count ?? 0 else { return }
            largest = (number, try bytes.withUnsafeBytes { try BlockHead($0) }, bytes)
        }
        return try #require(largest)
    }

    /// Changes bytes of a block.
    private func overwrite(_ number: Int64, _ bytes: [UInt8]) throws {
        let hex = bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
        try damage("UPDATE blocks SET body = x'\(hex)' WHERE number = \(number)")
    }

    @Test func `a damaged segment is built again from the directories, and the keys in order as well`() throws {
        try damage("UPDATE segments SET body = zeroblob(30) WHERE segment = (SELECT min(segment) FROM segments)")
        var model = model
        let file = try BlockStoreFile(folder.file())
        file.store.checkInvariants()
        #expect(file.store.damage.segmentCount == 1)
        #expect(file.store.damage.blockCount == 0)
        #expect(file.store.isRebuilt)
        // What was removed before may be there again; nothing that was there is missing.
        let reads = try reads(file)
        #expect(reads == (model.entities.count, 0, 0))
        try file.write(model.flush(rowCount: 50, removalShare: 0))
        let missing = Set(model.entities.keys).subtracting(try file.walkedKeys())
        #expect(missing == [])
        // The next opening finds no damage.
        let again = try BlockStoreFile(folder.file())
        again.store.checkInvariants()
        #expect(again.store.damage == BlockStore.Damage() && !again.store.isRebuilt)
    }

    @Test func `a flipped bit in a directory loses nothing`() throws {
        let block = try largestBlock()
        for offset in [5, block.head.byteCount + 3, block.head.data.lowerBound - 1] {
            var bytes = block.bytes
            bytes.flip(bit: 4, at: offset)
            try overwrite(block.number, bytes)
            let file = try BlockStoreFile(folder.file())
            file.store.checkInvariants()
            #expect(file.store.entityCount == model.entities.count, "byte \(offset)")
        }
    }

    @Test func `damaged data costs the entities that have it, when they are read and when they are merged`() throws {
        var model = model
        let block = try largestBlock()
        var bytes = block.bytes
        for offset in block.head.data.suffix(20) { bytes.flip(bit: 6, at: offset) }
        try overwrite(block.number, bytes)
        let file = try BlockStoreFile(folder.file())
        let reads = try reads(file)
        #expect(reads.missing == 0 && reads.refused > 0 && reads.refused <= block.head.count)
        #expect(reads.right == model.entities.count - reads.refused)
        // Merging loses them for good, and nothing else.
        for _ in 0..<30 { try file.write(model.flush(rowCount: 100, removalShare: 100)) }
        try file.file.mergeAll()
        file.store.checkInvariants()
        let stillRefused = try model.keys.filter { key in
            do {
                let found = try file.read(key)
                #expect(found == nil || found == model.entities[key])
                return found == nil && model.entities[key] != nil
            } catch is PayloadError {
                return true
            }
        }
        #expect(stillRefused.count <= block.head.count)
    }

    @Test func `a block without a readable head is set aside, and the rest goes on`() throws {
        var model = model
        let block = try largestBlock()
        try overwrite(block.number, Array(repeating: 0xAA, count: 50))
        let file = try BlockStoreFile(folder.file())
        file.store.checkInvariants()
        #expect(file.store.damage.blockCount == 1)
        let reads = try reads(file)
        #expect(reads.refused == 0 && reads.missing <= block.head.count)
        #expect(reads.right >= model.entities.count - block.head.count)
        for _ in 0..<10 { try file.write(model.flush(rowCount: 100, removalShare: 100)) }
        file.store.checkInvariants()
    }

    @Test func `rows with numbers that no block, segment or run has change nothing`() throws {
        try damage(
            "INSERT INTO blocks VALUES (-5, x'00'), (9223372036854775807, x'2000'); "
                + "INSERT INTO key_runs VALUES (-1, x'00')")
        let file = try BlockStoreFile(folder.file())
        file.store.checkInvariants()
        #expect(file.store.damage.blockCount == 2)
        var model = model
        try file.write(model.flush(rowCount: 50, removalShare: 100))
        let differences = try model.differences(from: file)
        #expect(differences == [])
    }

    @Test func `a damaged run of keys is refused by a walk, and made again by the next flush`() throws {
        try damage("UPDATE key_runs SET body = zeroblob(40) WHERE place = (SELECT min(place) FROM key_runs)")
        var model = model
        let file = try BlockStoreFile(folder.file())
        #expect(throws: PayloadError.self) { try file.walkedKeys() }
        try file.write(model.flush(rowCount: 20, removalShare: 100))
        let isInOrder = try file.walkedKeys() == model.keysInOrder
        #expect(isInOrder)
    }

    @Test func `a disk that fails for a while loses nothing that was acknowledged`() throws {
        var model = model
        let file = try BlockStoreFile(folder.file())
        var random = SeededGenerator(seed: 5)
        for step in 0..<20 {
            let flush = model.flush(rowCount: 60, removalShare: 150)
            if step % 2 == 0 {
                disk.plan(.changeFails, at: disk.changeCount + 1 + random.below(4), count: .max, seed: random.next())
                #expect(throws: (any Error).self) { try file.write(flush) }
                disk.heal()
                file.store.checkInvariants()
            }
            try file.write(flush)
        }
        let differences = try model.differences(from: file)
        #expect(differences == [])
    }
}
