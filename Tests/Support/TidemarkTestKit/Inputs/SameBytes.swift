import Foundation

extension [UInt8] {
    /// Joins pieces, a hundred times faster than `Array(pieces.joined())` in a build without optimization.
    ///
    /// - Complexity: O(bytes).
    package init(joining pieces: [[UInt8]]) {
        self = []
        reserveCapacity(pieces.reduce(0) { $0 + $1.count })
        for piece in pieces { append(contentsOf: piece) }
    }

    /// Returns true if both have the same bytes, a hundred times faster than `==` in a build without optimization,
    /// which takes some ten milliseconds per megabyte.
    ///
    /// - Complexity: O(bytes).
    package func isSame(as other: [UInt8]) -> Bool {
        other.withUnsafeBytes { isSame(as: $0) }
    }

    /// Returns true if memory has the same bytes.
    ///
    /// - Complexity: O(bytes).
    package func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let start = other.baseAddress, count > 0 else { return true }
        return withUnsafeBytes { $0.baseAddress.map { memcmp($0, start, other.count) == 0 } ?? true }
    }
}
