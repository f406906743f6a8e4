import TidemarkModel

/// Keys that were removed without a tombstone, until the journal has removed them too.
///
/// Bounded by the rows that a flush removes: the flush policy starts one as they pile up.
struct ForgottenKeys {
    private var keys: Set<StoredKey> = []
    private var libraries: Set<LibraryIndex> = []
    /// The same for the flush under way.
    private var flushedKeys: Set<StoredKey> = []
    private var flushedLibraries: Set<LibraryIndex> = []

    func contains(_ key: StoredKey) -> Bool {
        if keys.isEmpty, libraries.isEmpty, flushedKeys.isEmpty, flushedLibraries.isEmpty { return false }
        return keys.contains(key) || libraries.contains(key.library) || flushedKeys.contains(key)
            || flushedLibraries.contains(key.library)
    }

    mutating func insert(_ key: StoredKey) { keys.insert(key) }

    mutating func insert(_ library: LibraryIndex) { libraries.insert(library) }

    /// A flush takes them to the journal.
    mutating func flush() {
        if flushedKeys.isEmpty { flushedKeys = keys } else { flushedKeys.formUnion(keys) }
        flushedLibraries.formUnion(libraries)
        keys = []
        libraries = []
    }

    /// The journal has written the flush.
    mutating func commit() {
        flushedKeys = []
        flushedLibraries = []
    }

    /// The journal lost what it had.
    mutating func removeAll() { self = ForgottenKeys() }
}
