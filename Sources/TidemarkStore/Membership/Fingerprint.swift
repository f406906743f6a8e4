/// Hashes of values and directories, by which rules are found.
///
/// If two values share a fingerprint, one rule more is evaluated, so the values themselves need not be kept. Each
/// process has its own seed, so that nobody can choose values that collide. Fingerprints are never stored, and no order
/// depends on them.
enum Fingerprint {
    /// Returns the fingerprint of a value's code, ordered or exact. All arrays and objects have the same one.
    static func value(_ code: [UInt8]) -> Int {
        var hasher = Hasher()
        if code[0] == ValueCode.other {
            hasher.combine(ValueCode.other)
        } else {
            code.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        return hasher.finalize()
    }

    /// How many bytes at the beginning of a code distinguish rules. The rest of a longer code is ignored.
    static let prefixByteCountMax = 256

    /// Returns the fingerprint of the beginning of a code.
    static func prefix(_ code: ArraySlice<UInt8>) -> Int {
        var hasher = Hasher()
        code.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    /// Returns the fingerprint of a directory and its device.
    static func directory(_ directory: ScopePath) -> Int {
        var last = 0
        forEachDirectory(on: directory.device, directory.components, endsWithDirectory: true) { fingerprint, _ in
            last = fingerprint
        }
        return last
    }

    /// Calls `body` for each directory above a path, from the root on.
    ///
    /// - Parameter body: Receives the directory's fingerprint, and whether the path is directly inside it.
    /// - Complexity: O(path); nothing is copied.
    static func forEachDirectory(
        on device: [UInt8]?, _ components: [UInt8], endsWithDirectory: Bool = false, _ body: (Int, Bool) -> Void
    ) {
        var hasher = Hasher()
        hasher.combine(device)
        components.withUnsafeBytes { path in
            var start = 0
            while start < path.count {
                let end = path[(start + 1)...].firstIndex(of: UInt8(ascii: "/")) ?? path.count
                body(hasher.finalize(copying: true), end == path.count)
                hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: path[start..<end]))
                start = end
            }
        }
        if endsWithDirectory { body(hasher.finalize(), false) }
    }
}

extension Hasher {
    /// Returns the hash of the values combined so far. More values can be combined afterwards.
    fileprivate func finalize(copying: Bool) -> Int {
        let copy = self
        return copy.finalize()
    }
}
