import TidemarkModel

/// Keys that were removed without a tombstone, until the journal has removed them too.
///
/// The rows that a flush removes bound it: the flush policy starts a flush when many have accumulated.
struct ForgottenKeys {
    private var keys: Set<StoredKey> = []
    private var libraries: Set<LibraryIndex> = []
    /// The keys in the flush under way.
    private var flushedKeys: Set<StoredKey> = []
    private var flushedLibraries: Set<LibraryIndex> = []

    func contains(_ key: StoredKey) -> Bool {
        if keys.isEmpty, libraries.isEmpty, flushedKeys.isEmpty, flushedLibraries.isEmpty { return false }
        return keys.contains(key) || libraries.contains(key.library) || flushedKeys.contains(key)
            || flushedLibraries.contains(key.library)
    }

    mutating func insert(_ key: StoredKey) { keys.insert(key) }

    mutating func insert(_ library: LibraryIndex) { libraries.insert(library) }

    /// Moves the keys to the flush that is being taken.
    mutating func flush() {
        if flushedKeys.isEmpty { flushedKeys = keys } else { flushedKeys.formUnion(keys) }
        flushedLibraries.formUnion(libraries)
        keys = []
        libraries = []
    }

    /// Removes the keys of the flush that the journal committed.
    mutating func commit() {
        flushedKeys = []
        flushedLibraries = []
    }

    /// Removes all keys, because the journal lost its data.
    mutating func removeAll() { self = ForgottenKeys() }
}
