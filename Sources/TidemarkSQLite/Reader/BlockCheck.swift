import Tidemark
import TidemarkModel
import TidemarkStore

/// Checks the tables of a file of blocks: every entity that the index names, the index against the blocks, and the
/// keys in order against both.
///
/// - Complexity: O(bytes of the blocks). Memory: the index of keys, and one block.
struct BlockCheck {
    private let connection: OpaquePointer
    private let snapshot: BlockSnapshot
    private let names: ReadNames

    init(_ connection: OpaquePointer, _ snapshot: BlockSnapshot, _ names: ReadNames) {
        self.connection = connection
        self.snapshot = snapshot
        self.names = names
    }

    /// - Throws: ``SQLiteFailure`` when the file cannot be read to its end.
    func look(_ check: EntityCheck, _ report: inout VerifyReport) throws {
        for table in ["keys", "entities", "field_values"] {
            // Pages that were exchanged with those of an empty table are noticed nowhere else.
            if try PreparedStatement.number(connection, "SELECT 1 FROM \(table) LIMIT 1") != nil {
                report.add(.unexpectedRows(table: table))
            }
        }
        try snapshot.index.loadEverything()
        for segment in snapshot.index.damagedSegments {
            report.add(.damaged(DamagedRow(row: Int64(segment), kind: .segment, fault: .checksumMismatch)))
        }
        try ChangeTable.forEach(connection, seed: snapshot.index.seed) { number, row in
            if row == nil { report.add(.damaged(DamagedRow(row: number, kind: .change, fault: .checksumMismatch))) }
            return true
        }
        let liveCount = try checkBlocks(check, &report)
        let missingCount = Int64(snapshot.index.entityCount()) - liveCount
        if missingCount > 0 { report.add(.missingEntities(count: missingCount)) }
        do {
            var orderedCount: Int64 = 0
            try snapshot.walkKeys(after: nil) { _ in
                orderedCount += 1
                return true
            }
            let unorderedCount = liveCount + max(0, missingCount) - orderedCount
            if unorderedCount > 0 { report.add(.unorderedEntities(count: unorderedCount)) }
        } catch let fault as PayloadFault {
            report.add(.damaged(DamagedRow(row: 0, kind: .keyRun, fault: fault)))
        }
    }

    /// - Returns: The entities that the index names and a block has, whole or damaged.
    private func checkBlocks(_ check: EntityCheck, _ report: inout VerifyReport) throws -> Int64 {
        let unpacker = try BlockUnpacker()
        var liveCount: Int64 = 0
        var ordinals: Set<Int> = []
        try PreparedStatement(connection, "SELECT number, body FROM blocks ORDER BY number").forEachRow { row in
            let number = row.integer(0)
            let bytes = Array(row.borrowedBytes(1))
            let fault = BlockCheck.directoryFault(bytes, number)
            if let fault { report.add(.damaged(DamagedRow(row: number, kind: .block, fault: fault))) }
            guard
                case .success(let content) = BlockSalvage.content(
                    of: bytes, number: number, unpacker: unpacker, dictionaries: names.dictionaries)
            else { return }
            if !ordinals.insert(content.directory.head.ordinal).inserted { report.add(.sharedOrdinal(block: number)) }
            for (position, entry) in content.directory.entries.enumerated() where !entry.isRemoval {
                let key = content.key(at: position)
                guard let place = try snapshot.index.location(of: snapshot.index.hash(key)), place.number == number,
                    place.place.position == position
                else { continue }
                liveCount += 1
                guard let name = names.entityKey(key) else {
                    report.add(.unnamedKey(row: number))
                    continue
                }
                let entity = Result { () throws(PayloadFault) in Optional(try content.entity(at: position)) }
                try check.check(key, name, row: number, BlockReads.answer(entity, key: key), &report)
            }
        }
        return liveCount
    }

    private static func directoryFault(_ bytes: [UInt8], _ number: Int64) -> PayloadFault? {
        bytes.withUnsafeBytes { bytes in
            do throws(PayloadFault) {
                _ = try BlockDirectory(bytes, number: number)
                return nil
            } catch {
                return error
            }
        }
    }
}
