#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Compares arrays of bytes many at a time.
///
/// The library's own functions for sequences compare one element after the other.
package enum ByteOrder {
    /// Returns true if two arrays have the same bytes.
    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return compare(left, right, left.count) == 0
    }

    /// Returns true if two buffers have the same bytes.
    package static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        guard let first = left.baseAddress, let second = right.baseAddress, !left.isEmpty else { return true }
        return memcmp(first, second, left.count) == 0
    }

    /// Returns true if the first array comes before the second in the order of their bytes; a shorter one comes before
    /// those that begin with it.
    package static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        let order = compare(left, right, min(left.count, right.count))
        return order == 0 ? left.count < right.count : order < 0
    }

    private static func compare(_ left: [UInt8], _ right: [UInt8], _ count: Int) -> Int32 {
        guard count > 0 else { return 0 }
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return 0 }
                return memcmp(left, right, count)
            }
        }
    }
}
