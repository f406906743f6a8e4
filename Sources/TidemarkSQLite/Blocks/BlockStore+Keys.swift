import TidemarkStore

/// All keys of a store, and their counts.
extension BlockStore {
    /// Counts the entities of each library.
    ///
    /// - Complexity: O(keys).
    func entityCounts() -> [LibraryIndex: Int64] {
        index.withState { state in
            var counts: [LibraryIndex: Int64] = [:]
            state.places.forEachPlace { place in
                if let block = state.ledger[place.ordinal] { counts[block.library, default: 0] += 1 }
            }
            return counts
        }
    }

    /// Reads the keys of all entities from the directories, including those of the current transaction.
    func forEachGroupOfKeys(_ body: ([StoredKey]) throws -> Void) throws {
        var group: [StoredKey] = []
        try table.forEachBlock { number, _ in
            guard let bytes = try table.body(number: number),
                case .success(let content) = BlockSalvage.content(
                    of: bytes, number: number, unpacker: unpacker, dictionaries: [:])
            else { return }
            for (position, entry) in content.directory.entries.enumerated() where !entry.isRemoval {
                let key = content.key(at: position)
                let place = BlockPlace(ordinal: content.directory.head.ordinal, position: position)
                // Blocks of this flush are not in the index yet.
                guard number > lastNumber || index.place(of: key.withBlockKey { index.hash($0) }) == place else {
                    continue
                }
                group.append(key)
            }
            if group.count >= BlockStore.keyGroupCount {
                try body(group)
                group.removeAll(keepingCapacity: true)
            }
        }
        try body(group)
    }

    /// The number of keys in a run that is built from the directories.
    private static let keyGroupCount = 1 << 16
}
