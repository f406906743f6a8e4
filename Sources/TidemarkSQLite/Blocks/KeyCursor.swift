/// A position in a sorted run: a loaded part, and a key in it.
struct KeyCursor {
    private(set) var run: KeyRun
    /// The number of the loaded part.
    private(set) var part: Int
    private var keys: KeyPart?
    private var index = 0

    /// Begins at the first key of a run.
    init(_ run: KeyRun, _ table: KeyRunTable) throws {
        self.run = run
        part = run.parts.lowerBound
        try load(table)
    }

    /// Begins at the first key after another.
    ///
    /// - Complexity: O(log parts) reads.
    init(_ run: KeyRun, after key: [UInt8], _ table: KeyRunTable) throws {
        self.run = run
        // Find the last part whose first key is not after `key`.
        var (low, high) = (run.parts.lowerBound, run.parts.upperBound)
        while low + 1 < high {
            let middle = (low + high) / 2
            let first = try table.part(run.place(of: middle))
            let isAfter = key.withUnsafeBytes { key in first.withKey(0) { OrderedKey.precedes(key, $0) } }
            if isAfter { high = middle } else { low = middle }
        }
        part = low
        try load(table)
        index = key.withUnsafeBytes { key in keys?.firstIndex(after: key) ?? 0 }
        try skipEnd(table)
    }

    var isAtEnd: Bool { keys == nil }

    /// Calls a closure with the key at the position. The cursor must not be at its end.
    func withKey<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        // No input reaches it: callers check for the end first.
        guard let keys else { preconditionFailure("a run has no key behind its end") }
        return try keys.withKey(index, body)
    }

    /// Moves to the next key.
    mutating func advance(_ table: KeyRunTable) throws {
        index += 1
        try skipEnd(table)
    }

    private mutating func skipEnd(_ table: KeyRunTable) throws {
        guard let keys, index >= keys.count else { return }
        part += 1
        index = 0
        try load(table)
    }

    private mutating func load(_ table: KeyRunTable) throws {
        keys = part < run.parts.upperBound ? try table.part(run.place(of: part)) : nil
    }

    /// Returns the index of the cursor with the first key in order; nil when all are at their end.
    static func firstIndex(of cursors: [KeyCursor]) -> Int? {
        var first: Int?
        for index in cursors.indices where !cursors[index].isAtEnd {
            guard let known = first else {
                first = index
                continue
            }
            let precedes = cursors[index].withKey { key in
                cursors[known].withKey { OrderedKey.precedes(key, $0) }
            }
            if precedes { first = index }
        }
        return first
    }
}
