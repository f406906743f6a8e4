import TidemarkStore

/// A walk over the keys of several runs in order, each key once. Keys that no longer have a version are among them.
struct KeyWalk {
    private let table: KeyRunTable
    private var cursors: [KeyCursor]
    private var last: [UInt8]?

    /// Begins a walk.
    ///
    /// - Parameter start: The ``OrderedKey`` after which to begin; nil to begin with the first key.
    /// - Throws: ``SQLiteError``; ``PayloadError`` when a part is damaged.
    init(_ runs: [KeyRun], _ table: KeyRunTable, after start: [UInt8]?) throws {
        self.table = table
        cursors = try runs.map { run in
            if let start { try KeyCursor(run, after: start, table) } else { try KeyCursor(run, table) }
        }
    }

    /// Returns the next key; nil at the end.
    ///
    /// - Throws: The errors of the initializer.
    /// - Complexity: O(runs).
    mutating func next() throws -> StoredKey? {
        while let first = KeyCursor.firstIndex(of: cursors) {
            let key = cursors[first].withKey { key -> StoredKey? in
                if let last, last.withUnsafeBytes({ OrderedKey.isEqual(key, $0) }) { return nil }
                last = Array(key)
                return OrderedKey.key(key)
            }
            try cursors[first].advance(table)
            if let key { return key }
        }
        return nil
    }
}
