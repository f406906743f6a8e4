import Tidemark
import TidemarkModel
import TidemarkStore

/// Checks the tables of a file of blocks: every entity in the index, the index against the blocks, and the keys in
/// order against both.
///
/// - Complexity: O(bytes of the blocks). Memory: the index of keys, and 64 blocks.
struct BlockCheck {
    private let connection: OpaquePointer
    private let snapshot: BlockSnapshot
    private let names: ReadNames

    init(_ connection: OpaquePointer, _ snapshot: BlockSnapshot, _ names: ReadNames) {
        self.connection = connection
        self.snapshot = snapshot
        self.names = names
    }

    /// Checks everything, and adds the problems.
    ///
    /// - Throws: ``SQLiteError`` when the file cannot be read to its end.
    func look(_ check: EntityCheck, _ report: inout VerifyReport) throws {
        for table in ["keys", "entities", "field_values"] {
            // Only this check notices pages that were exchanged with those of an empty table.
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
        } catch let fault as PayloadError {
            report.add(.damaged(DamagedRow(row: 0, kind: .keyRun, fault: fault)))
        }
    }

    /// The blocks that are unpacked and checked together: some 2 MiB.
    private static let groupCount = 64

    /// The findings in one block that do not depend on other blocks.
    private struct Finding {
        var report = VerifyReport()
        /// The ordinal and the library; nil for a block that cannot be read at all.
        var head: (ordinal: Int, library: LibraryIndex)?
        /// The number of the block's entities that the index locates here, sound or damaged.
        var liveCount: Int64 = 0
        /// The number of live entities whose library and type have names.
        var namedCount: Int64 = 0
        /// The live entities whose type has an index.
        var indexed: [(key: StoredKey, name: EntityKey, entity: StoredEntity?)] = []
    }

    /// Checks all blocks in groups, on several threads.
    ///
    /// - Returns: The number of entities that the index locates in the blocks that have them, sound or damaged.
    private func checkBlocks(_ check: EntityCheck, _ report: inout VerifyReport) throws -> Int64 {
        let unpackers = try (0..<ParallelThreads.count).map { _ in try BlockUnpacker() }
        // A dictionary's decompressing form is created at its first use, which must not happen on two threads.
        for dictionary in names.dictionaries.values { dictionary.prepareForDecompressing() }
        var liveCount: Int64 = 0
        var ordinals: Set<Int> = []
        var group: [(number: Int64, bytes: [UInt8])] = []
        func checkGroup() throws {
            let findings = ParallelWork.map(group, contexts: unpackers) { unpacker, block in
                finding(in: block.bytes, number: block.number, check, unpacker)
            }
            for (block, finding) in zip(group, findings) {
                report.add(finding.report)
                guard let head = finding.head else { continue }
                if !ordinals.insert(head.ordinal).inserted { report.add(.sharedOrdinal(block: block.number)) }
                liveCount += finding.liveCount
                check.count(finding.namedCount, in: head.library)
                for (key, name, entity) in finding.indexed {
                    try check.indexes.check(key, row: block.number, entity: entity, name: name, &report)
                }
            }
            group.removeAll(keepingCapacity: true)
        }
        do {
            try PreparedStatement(connection, "SELECT number, body FROM blocks ORDER BY number").forEachRow { row in
                group.append((row.integer(0), Array(row.borrowedBytes(1))))
                if group.count == BlockCheck.groupCount { try checkGroup() }
            }
        } catch {
            // The blocks before the damage are still checked.
            try checkGroup()
            throw error
        }
        try checkGroup()
        return liveCount
    }

    private func finding(
        in bytes: [UInt8], number: Int64, _ check: EntityCheck, _ unpacker: BlockUnpacker
    ) -> Finding {
        var finding = Finding()
        if let fault = BlockCheck.directoryFault(bytes, number) {
            finding.report.add(.damaged(DamagedRow(row: number, kind: .block, fault: fault)))
        }
        guard
            case .success(let content) = BlockSalvage.content(
                of: bytes, number: number, unpacker: unpacker, dictionaries: names.dictionaries)
        else { return finding }
        let head = content.directory.head
        finding.head = (head.ordinal, head.library)
        let isIndexed = check.indexes.has(head.type)
        for (position, entry) in content.directory.entries.enumerated() where !entry.isRemoval {
            let key = content.key(at: position)
            guard let place = location(of: key), place.number == number, place.place.position == position else {
                continue
            }
            finding.liveCount += 1
            guard let name = names.entityKey(key) else {
                finding.report.add(.unnamedKey(row: number))
                continue
            }
            finding.namedCount += 1
            let entity = Result { () throws(PayloadError) in Optional(try content.entity(at: position)) }
            let answer = BlockReads.answer(entity, key: key)
            let found = check.add(answer, name, row: number, to: &finding.report)
            if isIndexed { finding.indexed.append((key, name, found)) }
        }
        return finding
    }

    /// Returns the location of a key. Once everything is loaded, this only reads the index.
    private func location(of key: StoredKey) -> BlockIndex.Location? {
        do { return try snapshot.index.location(of: snapshot.index.hash(key)) } catch { return nil }
    }

    private static func directoryFault(_ bytes: [UInt8], _ number: Int64) -> PayloadError? {
        bytes.withUnsafeBytes { bytes in
            do throws(PayloadError) {
                _ = try BlockDirectory(bytes, number: number)
                return nil
            } catch {
                return error
            }
        }
    }
}
