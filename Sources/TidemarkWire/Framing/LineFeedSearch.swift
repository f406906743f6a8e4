#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension UnsafeRawBufferPointer {
    /// Returns the offset of the first LF (0x0A) in a range, or nil when there is none.
    ///
    /// Uses `memchr`, because the standard library's search tests one byte at a time.
    package func firstLineFeed(in range: Range<Int>) -> Int? {
        guard let start = baseAddress,
            let found = memchr(start + range.lowerBound, Int32(UInt8(ascii: "\n")), range.count)
        else { return nil }
        return UnsafeRawPointer(found) - start
    }
}
