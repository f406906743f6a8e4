import TidemarkModel

/// A part of a sorted run of keys, a row of the table `key_runs`: at most 8 KiB of keys in order.
///
/// ```
/// check   4  XXH64 of what follows, low half, little endian; seeded by the part's place
/// count   v  keys, at least 1
/// keys       each: v bytes that it shares with the previous key, v bytes that follow, and these
/// ```
/// - Source: docs/blocks.md.
struct KeyPart {
    /// The size at which a part is closed.
    static let byteCountMax = 8_000

    /// The keys in the form of ``OrderedKey``, one after the other.
    private var bytes: [UInt8] = []
    /// The end of each key in `bytes`.
    private var ends: [Int] = []

    var count: Int { ends.count }

    /// Calls a closure with a key.
    func withKey<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let start = index == 0 ? 0 : ends[index - 1]
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<ends[index]])) }
    }

    /// Returns the index of the first key after another key; ``count`` when there is none.
    ///
    /// - Complexity: O(log count).
    func firstIndex(after key: UnsafeRawBufferPointer) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if withKey(middle, { OrderedKey.precedes(key, $0) }) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Checks and decodes a part; nil for bytes that are damaged or belong to another row.
    ///
    /// - Parameter place: The row's number.
    init?(_ stored: UnsafeRawBufferPointer, place: Int64) {
        var cursor = BlockCursor(stored)
        guard let check = cursor.fourBytes(), check == KeyPart.check(stored, place), let count = cursor.count(),
            1...stored.count ~= count
        else { return nil }
        ends.reserveCapacity(count)
        var before = 0..<0
        for _ in 0..<count {
            guard let shared = cursor.count(), shared <= before.count, let rest = cursor.count(),
                let range = cursor.range(rest)
            else { return nil }
            let start = bytes.count
            bytes.append(contentsOf: bytes[before.lowerBound..<before.lowerBound + shared])
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: stored[range]))
            before = start..<bytes.count
            ends.append(bytes.count)
        }
        guard cursor.remainingCount == 0 else { return nil }
    }

    /// Returns a part with its check in the first bytes; nil when it is too short.
    static func sealed(_ bytes: [UInt8], place: Int64) -> [UInt8]? {
        guard bytes.count >= 4 else { return nil }
        var bytes = bytes
        bytes.withUnsafeMutableBytes { bytes in
            let check = check(UnsafeRawBufferPointer(bytes), place)
            bytes.storeBytes(of: check.littleEndian, as: UInt32.self)
        }
        return bytes
    }

    private static func check(_ stored: UnsafeRawBufferPointer, _ place: Int64) -> UInt32 {
        let covered = UnsafeRawBufferPointer(rebasing: stored[4...])
        return UInt32(truncatingIfNeeded: Checksum.xxh64(covered, seed: UInt64(bitPattern: place)))
    }
}

/// Collects keys in order, and encodes them as a part.
struct KeyPartBuilder {
    private(set) var count = 0
    private var keys: [UInt8] = []
    /// The last key.
    private var last: [UInt8] = []

    var isFull: Bool { keys.count >= KeyPart.byteCountMax }

    /// Adds a key.
    ///
    /// - Parameter key: A key after the last one in order.
    mutating func add(_ key: UnsafeRawBufferPointer) {
        let shared = last.withUnsafeBytes { last in
            var shared = 0
            while shared < min(last.count, key.count), last[shared] == key[shared] { shared += 1 }
            return shared
        }
        PayloadCodec.append(shared, to: &keys)
        PayloadCodec.append(key.count - shared, to: &keys)
        keys.append(contentsOf: UnsafeRawBufferPointer(rebasing: key[shared...]))
        last.removeAll(keepingCapacity: true)
        last.append(contentsOf: key)
        count += 1
    }

    /// Returns the encoded part, and begins an empty one.
    mutating func take(place: Int64) -> [UInt8] {
        var bytes: [UInt8] = [0, 0, 0, 0]
        PayloadCodec.append(count, to: &bytes)
        bytes += keys
        count = 0
        keys.removeAll(keepingCapacity: true)
        last.removeAll(keepingCapacity: true)
        return KeyPart.sealed(bytes, place: place) ?? bytes
    }
}
