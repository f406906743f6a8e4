/// Values and directories as numbers that find rules.
///
/// Two things with one fingerprint cost a look at a rule that does not apply, no more; the keys themselves need not be
/// kept. Seeded by the process, so that nobody can choose values that share one; never stored, never ordered by.
enum Fingerprint {
    /// Of a value's code, ordered or exact: all arrays and objects have one fingerprint.
    static func value(_ code: [UInt8]) -> Int {
        var hasher = Hasher()
        if code[0] == ValueCode.other {
            hasher.combine(ValueCode.other)
        } else {
            code.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        return hasher.finalize()
    }

    /// Bytes of a code's beginning that tell rules apart; of a longer one the rest is not looked at.
    static let prefixByteCountMax = 256

    /// Of the beginning of a code.
    static func prefix(_ code: ArraySlice<UInt8>) -> Int {
        var hasher = Hasher()
        code.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    /// Of a directory on its device.
    static func directory(_ directory: ScopePath) -> Int {
        var last = 0
        forEachDirectory(on: directory.device, directory.components, endsWithDirectory: true) { fingerprint, _ in
            last = fingerprint
        }
        return last
    }

    /// Visits the directories that a path lies in, from the root on.
    ///
    /// - Parameter body: Gets the fingerprint, and whether the path lies directly in the directory.
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
    /// The hash of what was combined so far; more can follow.
    fileprivate func finalize(copying: Bool) -> Int {
        let copy = self
        return copy.finalize()
    }
}
