import Synchronization

/// The index of keys and the ledger of blocks, shared by the writer and all readers of a process.
///
/// The writer changes it after its COMMIT. A reader in between may find a position whose block is deleted; it then
/// waits for the end of the publication and looks again.
///
/// Sendable by locking: `state` holds everything that changes. The writer holds `publication` from before the COMMIT
/// until the last change. Nobody waits for it while holding `state`.
final class BlockIndex: Sendable {
    /// The positions of all keys, and the blocks that they are in.
    struct State {
        var places = KeyPlaceIndex()
        var ledger = BlockLedger()

        /// Removes blocks, and every key whose position is in one of them.
        ///
        /// - Complexity: O(keys), or O(1) without blocks.
        mutating func clear(_ ordinals: Set<Int>) {
            guard !ordinals.isEmpty else { return }
            _ = places.removeAll { ordinals.contains($0.ordinal) }
            for ordinal in ordinals.sorted() { ledger.remove(ordinal) }
        }
    }

    private let state: Mutex<State>
    private let publication = Mutex<Void>(())
    private let seed: UInt64

    /// How many changes are made before readers may proceed: some 25 µs.
    private static let sliceCount = 256

    /// Creates an index with a state.
    ///
    /// - Parameter seed: The random number of the file, for the hashes of keys.
    init(_ state: sending State, seed: UInt64) {
        self.state = Mutex(state)
        self.seed = seed
    }

    /// Where the newest version of a key is stored.
    struct Location: Hashable {
        var place: BlockPlace
        /// The number of the block's row.
        var number: Int64
    }

    /// Returns the location of a key's newest version; nil for a key without a version.
    func location(of hash: KeyHash) -> Location? {
        state.withLock { state in
            guard let place = state.places[hash] else { return nil }
            // If a position has no block, a publication is about to change it.
            return Location(place: place, number: state.ledger[place.ordinal]?.number ?? 0)
        }
    }

    func place(of hash: KeyHash) -> BlockPlace? { state.withLock { $0.places[hash] } }

    /// Calls a closure with the whole state. Only for the writer: readers wait meanwhile.
    func withState<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
        state.withLock { body(&$0) }
    }

    /// Waits for a running publication to end.
    func waitForPublication() { publication.withLock { _ in } }

    /// Commits a transaction, and makes its changes visible to readers.
    ///
    /// - Parameters:
    ///   - commit: Commits. If it throws, nothing is changed.
    ///   - first: Called with the lock before all changes.
    ///   - changes: The changes, in order.
    ///   - change: Makes one change; called with the lock.
    ///   - last: Called with the lock after all changes.
    func publish<Change>(
        commit: () throws -> Void, first: (inout State) -> Void, changes: [Change],
        change: (inout State, Change) -> Void, last: (inout State) -> Void
    ) throws {
        try publication.withLock { _ in
            try commit()
            state.withLock { first(&$0) }
            for start in stride(from: 0, to: changes.count, by: BlockIndex.sliceCount) {
                state.withLock { state in
                    for index in start..<min(start + BlockIndex.sliceCount, changes.count) {
                        change(&state, changes[index])
                    }
                }
            }
            state.withLock { last(&$0) }
        }
    }

    func hash(_ key: BlockKey) -> KeyHash { KeyHash(key, seed: seed) }
}
