import TidemarkModel

/// The keys of entities that were evicted from both tiers, as hashes: only that they existed is known.
///
/// `evictedKeyCountMax` bounds them: the oldest are forgotten, and count as never seen. Two keys with the same 64-bit
/// hash would both count as evicted, which is a miss in either case. The journal keeps a log of additions and removals,
/// which is rewritten once half of it is obsolete.
struct EvictedKeys {
    private let countMax: Int
    /// The position of each hash in `ring`.
    private var places: [UInt64: UInt32] = [:]
    /// The hashes in the order of eviction, from `oldest` on. Some may have been removed since.
    private var ring: [(library: LibraryIndex, hash: UInt64)] = []
    private var oldest = 0
    /// The changes since the last flush; the entities of one flush bound them.
    private var changes: [EvictedRecord] = []
    /// How many records the journal has.
    private var loggedCount: Int
    /// True if the journal's log must be rewritten.
    private var isLogVoid = false

    /// For how many keys the tables reserve memory at the first key; they grow beyond that. It is the default bound,
    /// and takes 11 MB of address space.
    private static let reservedCountMax = 1 << 18

    /// How many obsolete records a log may have before it is rewritten: 1,024.
    private static let uselessCountMin = 1_024

    /// Restores the keys from the journal's log.
    ///
    /// - Parameters:
    ///   - countMax: The most keys to remember.
    ///   - recovered: The records of the journal's log.
    ///   - libraryCount: Records of libraries from this index on are ignored, because a forged data file may contain
    ///     any.
    init(countMax: Int, recovered: [EvictedRecord] = [], libraryCount: Int = .max) {
        self.countMax = min(countMax, Int(UInt32.max))
        loggedCount = recovered.count
        for record in recovered where Int(record.library) < libraryCount {
            if record.isBack {
                removeHash(record.hash)
            } else if let library = put(record.library, record.hash) {
                forgottenOnRecovery.insert(library)
            }
        }
    }

    /// The libraries that lost keys, because not all fit when the journal's log was read.
    private(set) var forgottenOnRecovery: Set<LibraryIndex> = []

    var isEmpty: Bool { places.isEmpty }
    /// How many keys are remembered.
    var count: Int { places.count }

    /// True if the journal's log differs from this state.
    var isChanged: Bool { isLogVoid || !changes.isEmpty }

    /// How many records the journal's log lacks.
    var changeCount: Int { changes.count }

    func contains(_ identity: EntityIdentity) -> Bool {
        places.isEmpty ? false : places[identity.lastingHash] != nil
    }

    /// Adds a key.
    ///
    /// - Returns: The library of the key that was forgotten to make room; nil if none was.
    mutating func insert(_ identity: EntityIdentity) -> LibraryIndex? {
        guard countMax > 0 else { return identity.library }
        let hash = identity.lastingHash
        changes.append(EvictedRecord(library: identity.library, hash: hash))
        return put(identity.library, hash)
    }

    /// Removes a key, because its entity was stored again or deleted.
    mutating func remove(_ identity: EntityIdentity) {
        guard !places.isEmpty else { return }
        let hash = identity.lastingHash
        if removeHash(hash) { changes.append(EvictedRecord(library: identity.library, hash: hash, isBack: true)) }
    }

    /// Removes all keys of a library.
    ///
    /// - Complexity: O(keys).
    mutating func removeAll(of library: LibraryIndex) {
        guard !places.isEmpty else { return }
        for (place, entry) in ring.enumerated() where entry.library == library && places[entry.hash] == UInt32(place) {
            places[entry.hash] = nil
        }
        isLogVoid = true
    }

    private mutating func put(_ library: LibraryIndex, _ hash: UInt64) -> LibraryIndex? {
        guard countMax > 0 else { return library }
        if ring.isEmpty {
            // The tables are reserved at once, because growing them step by step would delay a caller. Untouched pages
            // take no memory.
            places.reserveCapacity(min(countMax, EvictedKeys.reservedCountMax))
            ring.reserveCapacity(min(countMax, EvictedKeys.reservedCountMax))
        }
        let place: Int
        var forgotten: LibraryIndex?
        if ring.count < countMax {
            place = ring.count
            ring.append((library, hash))
        } else {
            place = oldest
            oldest = (oldest + 1) % countMax
            if places[ring[place].hash] == UInt32(place) {
                places[ring[place].hash] = nil
                if ring[place].hash != hash { forgotten = ring[place].library }
            }
            ring[place] = (library, hash)
        }
        places[hash] = UInt32(place)
        return forgotten
    }

    @discardableResult
    private mutating func removeHash(_ hash: UInt64) -> Bool { places.removeValue(forKey: hash) != nil }

    // MARK: The journal

    /// Removes and returns the changes that the journal does not have. They count as written from now on.
    ///
    /// - Complexity: O(changes), plus O(keys) for one rewrite of the log per count / 2 changes.
    mutating func drainChanges() -> EvictedChanges {
        defer { changes = [] }
        let uselessCount = loggedCount + changes.count - count
        guard isLogVoid || uselessCount > max(EvictedKeys.uselessCountMin, count / 2) else {
            loggedCount += changes.count
            return EvictedChanges(records: changes)
        }
        isLogVoid = false
        loggedCount = count
        var records: [EvictedRecord] = []
        records.reserveCapacity(count)
        for step in ring.indices {
            let place = (oldest + step) % ring.count
            let entry = ring[place]
            guard places[entry.hash] == UInt32(place) else { continue }
            records.append(EvictedRecord(library: entry.library, hash: entry.hash))
        }
        return EvictedChanges(replacesAll: true, records: records)
    }

    /// Marks everything as unwritten, because the journal lost its data.
    mutating func markAllChanged() { isLogVoid = true }
}

extension EntityIdentity {
    /// A hash of the key that is the same in every process, unlike ``hash``. It uses the numbers of libraries and types
    /// in the data file.
    ///
    /// If somebody crafts ids with equal hashes, one of them counts as evicted, which is only a miss.
    package var lastingHash: UInt64 {
        let seed: UInt64 = 0x1DB7_1A5C_9E37_79B9
        let id = isUUID ? self.id : UUIDValue(high: Checksum.xxh64(text, seed: seed), low: UInt64(text.count))
        return EntityIdentity.mixed(id, library: library, type: type, seed: seed)
    }
}

extension StoredKey {
    /// A hash of the key that is the same in every process; see ``EntityIdentity/lastingHash``.
    package var lastingHash: UInt64 { withIdentity(seed: 0) { $0.lastingHash } }
}
