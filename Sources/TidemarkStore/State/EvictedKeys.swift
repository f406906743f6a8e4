import TidemarkModel

/// Keys of entities that left both tiers, by their hashes: what is known of them is that they were here.
///
/// Bounded by `evictedKeyCountMax`: the oldest are forgotten, and count as never seen. Two keys with one hash of 64 bits would both
/// count as evicted, which is a miss all the same. The journal keeps a log of what comes and goes, which is written anew when half of it
/// is of no use any more.
struct EvictedKeys {
    private let countMax: Int
    /// Where in `ring` each hash stands.
    private var places: [UInt64: UInt32] = [:]
    /// In the order they went, from `oldest` on; may name some that came back.
    private var ring: [(library: LibraryIndex, hash: UInt64)] = []
    private var oldest = 0
    /// Since the last flush; bounded by what a flush holds of entities.
    private var changes: [EvictedRecord] = []
    /// Records that the journal has.
    private var loggedCount: Int
    /// The journal's log is to be written anew.
    private var isLogVoid = false

    /// Keys that there is room for from the first one on; for more the tables grow. The usual bound, 11 MB of addresses.
    private static let reservedCountMax = 1 << 18

    /// Records of a log that are of no use and yet not worth writing it anew: 1,024.
    private static let uselessCountMin = 1_024

    /// - Parameters:
    ///   - recovered: The journal's log.
    ///   - libraryCount: Records of libraries from this number on are passed over: whoever forges a data file can write any.
    init(countMax: Int, recovered: [EvictedRecord] = [], libraryCount: Int = .max) {
        self.countMax = min(countMax, Int(UInt32.max))
        loggedCount = recovered.count
        for record in recovered where Int(record.library) < libraryCount {
            if record.isBack {
                take(record.hash)
            } else if let library = put(record.library, record.hash) {
                forgottenOnRecovery.insert(library)
            }
        }
    }

    /// Libraries whose keys did not all fit when the journal's log was read.
    private(set) var forgottenOnRecovery: Set<LibraryIndex> = []

    var isEmpty: Bool { places.isEmpty }
    /// Keys that are remembered.
    var count: Int { places.count }

    /// Whether the journal's log is not what this is.
    var isChanged: Bool { isLogVoid || !changes.isEmpty }

    /// Records that the journal's log does not have.
    var changeCount: Int { changes.count }

    func contains(_ identity: EntityIdentity) -> Bool {
        places.isEmpty ? false : places[identity.lastingHash] != nil
    }

    /// - Returns: The library of the key that was forgotten to make room; nil when none was.
    mutating func insert(_ identity: EntityIdentity) -> LibraryIndex? {
        guard countMax > 0 else { return identity.library }
        let hash = identity.lastingHash
        changes.append(EvictedRecord(library: identity.library, hash: hash))
        return put(identity.library, hash)
    }

    /// The entity came back, or was deleted.
    mutating func remove(_ identity: EntityIdentity) {
        guard !places.isEmpty else { return }
        let hash = identity.lastingHash
        if take(hash) { changes.append(EvictedRecord(library: identity.library, hash: hash, isBack: true)) }
    }

    /// Everything of the library was removed.
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
            // At once: to grow from time to time would hold up who waits for one step. Pages that nothing is put into take no memory.
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
    private mutating func take(_ hash: UInt64) -> Bool { places.removeValue(forKey: hash) != nil }

    // MARK: The journal

    /// What the journal does not have; it counts as having it from here on.
    ///
    /// - Complexity: O(changes), and O(keys) once for as many changes as half of them.
    mutating func takeChanges() -> EvictedChanges {
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

    /// The journal lost what it had.
    mutating func markAllChanged() { isLogVoid = true }
}

extension EntityIdentity {
    /// The same for a key in every process, where ``hash`` is not: the numbers of libraries and types are the data file's.
    ///
    /// Whoever makes up ids so that two have one hash makes one of them count as evicted, which is a miss and nothing worse.
    package var lastingHash: UInt64 {
        let seed: UInt64 = 0x1DB7_1A5C_9E37_79B9
        let id = isUUID ? self.id : UUIDValue(high: Checksum.xxh64(text, seed: seed), low: UInt64(text.count))
        return EntityIdentity.mixed(id, library: library, type: type, seed: seed)
    }
}

extension StoredKey {
    /// See ``EntityIdentity/lastingHash``.
    package var lastingHash: UInt64 { withIdentity(seed: 0) { $0.lastingHash } }
}
