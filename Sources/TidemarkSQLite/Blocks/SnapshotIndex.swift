import TidemarkModel

/// Finds keys in one state of a data file without an index in memory: in the stored segment of each requested key, and
/// in the directories of the blocks that the segment does not include.
///
/// ```
/// blocks   1 … 40 … 62 … 90      the segment of the key includes the blocks up to 62
/// behind           63 … 90       for few keys the blocks that the table changes names;
///                                for more the directories of all, which are read once
/// ```
/// The index is valid until another connection commits. A segment that is missing or damaged includes no block, so all
/// directories are read instead. Bound: 12 to 16 bytes for each key of the loaded segments, and as much for each entry
/// of the directories, or 6 for each of the table `changes`. All segments together are as large as the writer's index,
/// and directories with at most half as many entries are newer. Blocks beyond ``BlockPlace/ordinalMax``, as a forged
/// file may have, count as damage.
///
/// Owner: one thread.
///
/// - Source: docs/blocks.md.
final class SnapshotIndex: BlockLocator {
    private let connection: OpaquePointer
    /// The random number of the file.
    let seed: UInt64
    private let readSegment: PreparedStatement
    private let readNumbers: PreparedStatement
    private let unpacker: BlockUnpacker
    /// Reads around damaged pages; nil to treat them as errors.
    private let rescue: SalvageScan?

    /// The positions of the keys in the loaded segments.
    private var places = KeyPlaceIndex()
    /// The last block that each segment includes; nil if the segment is not loaded.
    private var throughs = [Int64?](repeating: nil, count: KeyPlaceIndex.segmentCount)
    /// The newest versions in the loaded directories. A removal has the position ``removedPosition``.
    private var behind = KeyPlaceIndex()
    /// The rows of the table `changes`; nil if they are not loaded.
    private var changes: ChangedBlocks?
    /// How many more keys are searched with the table `changes`, which each search scans.
    var scanCountLeft = 16
    /// The directories of all blocks above this number are loaded.
    private var readAfter = Int64.max
    /// True if directories were loaded.
    var hasReadDirectories: Bool { readAfter != .max }
    /// The numbers of blocks in the order of their ordinals here, which differ from the writer's.
    private var numbers: [Int64] = []
    private var ordinals: [Int64: Int] = [:]

    /// The segments that fail their check.
    private(set) var damagedSegments: [Int] = []
    /// The numbers of blocks newer than the segments whose directory fails its check. Of their entries, those count
    /// that pass their own checks.
    private(set) var damagedBlocks: [Int64] = []
    /// True if all blocks could be read. False only for a reader that reads around damaged pages.
    private(set) var areAllReached = true

    /// The position of a removal. No entity has it, since a block has at most 127, from position 0 on.
    private static let removedPosition = BlockPlace.positionMax

    /// Creates an index that has loaded nothing yet.
    ///
    /// - Parameters:
    ///   - connection: A connection that outlives the index, with a current transaction.
    ///   - seed: The random number of the file.
    ///   - rescue: Reads around damaged pages; nil to treat them as errors.
    /// - Throws: ``SQLiteError``.
    init(_ connection: OpaquePointer, seed: UInt64, rescue: SalvageScan? = nil) throws {
        self.rescue = rescue
        self.connection = connection
        self.seed = seed
        readSegment = try PreparedStatement(connection, "SELECT through, body FROM segments WHERE segment = ?")
        readNumbers = try PreparedStatement(
            connection,
            "SELECT number, length(body) FROM blocks WHERE number > ?1 AND number <= ?2 ORDER BY number DESC")
        unpacker = try BlockUnpacker()
    }

    func hash(_ key: BlockKey) -> KeyHash { KeyHash(key, seed: seed) }

    func waitForPublication() {}

    /// Returns the location of a key's newest version; nil for a key without one.
    ///
    /// - Complexity: O(1), after the first key of its segment.
    func location(of hash: KeyHash) throws -> BlockIndex.Location? {
        if case .some(let location) = try scannedLocation(of: hash) { return location }
        let through = try load(hash.segment)
        if let newer = behind[hash].map({ BlockIndex.Location(place: $0, number: number(of: $0)) }),
            newer.number > through
        {
            return newer.place.position == SnapshotIndex.removedPosition ? nil : newer
        }
        return places[hash].map { BlockIndex.Location(place: $0, number: number(of: $0)) }
    }

    /// Returns true if no damaged block can have a newer version of a key.
    ///
    /// - Parameter location: The result of ``location(of:)``.
    func isCertain(_ hash: KeyHash, at location: BlockIndex.Location?) throws -> Bool {
        guard let newest = damagedBlocks.max() else { return true }
        return newest <= max(try load(hash.segment), location?.number ?? 0)
    }

    /// Loads all segments, and the directories of newer blocks.
    ///
    /// - Throws: ``SQLiteError``.
    /// - Complexity: O(keys).
    func loadEverything() throws {
        for segment in throughs.indices { _ = try load(segment) }
    }

    /// Returns the number of keys that have a version. Call it after ``loadEverything()``.
    ///
    /// - Complexity: O(keys).
    func entityCount() -> Int {
        var count = places.count
        behind.forEachKey { hash, place in
            let isNewer = number(of: place) > (throughs[hash.segment] ?? 0)
            guard isNewer else { return }
            if places[hash] != nil { count -= 1 }
            if place.position != SnapshotIndex.removedPosition { count += 1 }
        }
        return count
    }

    // MARK: Segments

    /// Loads a segment, and the directories of the blocks that it does not include.
    ///
    /// - Returns: The last block that it includes.
    private func load(_ segment: Int) throws -> Int64 {
        let through = try loadSegment(segment)
        if through < readAfter { try readDirectories(after: through) }
        return through
    }

    private func loadSegment(_ segment: Int) throws -> Int64 {
        if let known = throughs[segment] { return known }
        var through: Int64 = 0
        if let (last, bytes) = try storedSegment(segment) {
            let seed = StoredSegment.seed(of: seed, through: last)
            let leftOut = StoredSegment(bytes, as: segment, seed: seed).flatMap { stored in
                places.restore(segment: segment, stored) { number in
                    1...BlockPlace.numberMax ~= number && hasRoom ? ordinal(of: number) : nil
                }
            }
            if leftOut == [], 0...BlockPlace.numberMax ~= last {
                through = last
            } else {
                damagedSegments.append(segment)
            }
        }
        throughs[segment] = through
        return through
    }

    private func storedSegment(_ segment: Int) throws -> (through: Int64, bytes: [UInt8])? {
        var stored: (through: Int64, bytes: [UInt8])?
        if let rescue {
            let isRead = rescue.run("SELECT through, body FROM segments WHERE segment = ?1", Int64(segment)) { row in
                stored = (row.integer(0), Array(row.borrowedBytes(1)))
            }
            if !isRead { damagedSegments.append(segment) }
            return isRead ? stored : nil
        }
        readSegment.bind(1, Int64(segment))
        defer { readSegment.reset() }
        if try readSegment.step() { stored = (readSegment.integer(0), Array(readSegment.borrowedBytes(1))) }
        return stored
    }

    // MARK: Changes

    /// Finds a key with the table `changes`.
    ///
    /// - Returns: nil when directories must be loaded instead: enough keys were searched, or a row or a block is
    ///   damaged.
    private func scannedLocation(of hash: KeyHash) throws -> BlockIndex.Location?? {
        guard rescue == nil, scanCountLeft > 0, !hasReadDirectories else { return nil }
        scanCountLeft -= 1
        let through = try loadSegment(hash.segment)
        let changes = try self.changes ?? ChangedBlocks(connection, seed: seed)
        self.changes = changes
        guard let numbers = changes.blocks(of: hash, after: through) else { return nil }
        let blob = BlockBlob(connection)
        for number in numbers {
            guard let byteCount = try changes.byteCount(of: number) else { continue }
            guard case .success(let content) = try blob.directory(of: number, byteCount: byteCount), hasRoom else {
                return nil
            }
            guard let position = lastPosition(of: hash, in: content) else { continue }
            if content.directory.entries[position].isRemoval { return .some(nil) }
            let place = BlockPlace(ordinal: ordinal(of: number), position: position)
            return BlockIndex.Location(place: place, number: number)
        }
        return .some(places[hash].map { BlockIndex.Location(place: $0, number: self.number(of: $0)) })
    }

    private func lastPosition(of hash: KeyHash, in content: BlockContent) -> Int? {
        let head = content.directory.head
        return content.directory.entries.indices.last { position in
            content.withID(at: position) { id in
                let isUUID = content.directory.entries[position].isUUID
                return self.hash(BlockKey(library: head.library, type: head.type, isUUID: isUUID, id: id)) == hash
            }
        }
    }

    // MARK: Directories

    private func readDirectories(after through: Int64) throws {
        if let rescue { return try rescueDirectories(rescue) }
        // An open blob would keep the transaction open.
        let blob = BlockBlob(connection)
        readNumbers.bind(1, through)
        readNumbers.bind(2, readAfter)
        readAfter = through
        try readNumbers.forEachRow { row in
            let (number, byteCount) = (row.integer(0), Int(clamping: row.integer(1)))
            switch try blob.directory(of: number, byteCount: byteCount) {
            case .success(let content) where 1...BlockPlace.numberMax ~= number: note(content, number) { _ in true }
            case .success, .failure: try noteDamaged(number, try blob.prefix(of: number, byteCount))
            }
        }
    }

    /// Loads the directories of all blocks that can be read.
    private func rescueDirectories(_ rescue: SalvageScan) throws {
        guard readAfter > 0 else { return }
        readAfter = 0
        areAllReached = try rescue.numbered("blocks", key: "number", columns: "body") { row in
            let (number, bytes) = (row.integer(0), Array(row.borrowedBytes(1)))
            if BlockSalvage.isWhole(bytes, number: number), 1...BlockPlace.numberMax ~= number,
                case .success(let content) = try content(of: bytes, number)
            {
                note(content, number) { _ in true }
            } else {
                try noteDamaged(number, bytes)
            }
        }
    }

    private func noteDamaged(_ number: Int64, _ bytes: [UInt8]) throws {
        damagedBlocks.append(number)
        guard 1...BlockPlace.numberMax ~= number, case .success(let content) = try content(of: bytes, number) else {
            return
        }
        note(content, number) { content.withStored(at: $0) { _, _, _ in } != nil }
    }

    private func content(of bytes: [UInt8], _ number: Int64) throws -> Result<BlockContent, PayloadError> {
        BlockSalvage.content(
            of: bytes, number: number, unpacker: unpacker,
            dictionaries: rescue == nil ? try DictionaryTable.read(connection).dictionaries : [:])
    }

    /// Adds the entries of a block. Blocks may be added in any order: the entry in the highest block counts, and in it
    /// the last.
    private func note(_ content: BlockContent, _ number: Int64, _ isTrue: (Int) -> Bool) {
        guard hasRoom else { return damagedBlocks.append(number) }
        let head = content.directory.head
        for (position, entry) in content.directory.entries.enumerated() where isTrue(position) {
            let hash = content.withID(at: position) { id in
                self.hash(BlockKey(library: head.library, type: head.type, isUUID: entry.isUUID, id: id))
            }
            if let known = behind[hash], self.number(of: known) > number { continue }
            let position = entry.isRemoval ? SnapshotIndex.removedPosition : position
            _ = behind.set(BlockPlace(ordinal: ordinal(of: number), position: position), of: hash)
        }
    }

    /// True if one more block can get an ordinal.
    private var hasRoom: Bool { numbers.count < BlockPlace.ordinalMax }

    private func ordinal(of number: Int64) -> Int {
        if let known = ordinals[number] { return known }
        numbers.append(number)
        ordinals[number] = numbers.count
        return numbers.count
    }

    private func number(of place: BlockPlace) -> Int64 { numbers[place.ordinal - 1] }
}
