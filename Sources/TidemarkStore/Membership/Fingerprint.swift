/// Hashes of values and directories, to find rules by.
///
/// Two values with one fingerprint cost one evaluation of a rule that does not hold, no more; so the keys themselves
/// need not be kept. The hash is seeded by the process, so that no one can choose values that share a fingerprint; it
/// is never stored and never used for an order.
enum Fingerprint {
    /// Returns the fingerprint of a value's code, ordered or exact: all arrays and objects have the same one.
    static func value(_ code: [UInt8]) -> Int {
        var hasher = Hasher()
        if code[0] == ValueCode.other {
            hasher.combine(ValueCode.other)
        } else {
            code.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        return hasher.finalize()
    }

    /// The number of bytes at the beginning of a code that distinguish rules; the rest of a longer code is ignored.
    static let prefixByteCountMax = 256

    /// Returns the fingerprint of the beginning of a code.
    static func prefix(_ code: ArraySlice<UInt8>) -> Int {
        var hasher = Hasher()
        code.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    /// Returns the fingerprint of a directory on its device.
    static func directory(_ directory: ScopePath) -> Int {
        var last = 0
        forEachDirectory(on: directory.device, directory.components, endsWithDirectory: true) { fingerprint, _ in
            last = fingerprint
        }
        return last
    }

    /// Calls `body` with the directories above a path, from the root on.
    ///
    /// - Parameter body: Receives the fingerprint, and whether the path is directly in the directory.
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
    /// Returns the hash of the values combined so far; more can be added.
    fileprivate func finalize(copying: Bool) -> Int {
        let copy = self
        return copy.finalize()
    }
}
