extension ByteString {
    /// Returns the beginning as text for messages, cut between characters of UTF-8, with an ellipsis if anything is cut
    /// off.
    ///
    /// - Parameter byteCount: The largest number of bytes, without the ellipsis.
    package func excerpt(byteCount: Int) -> String { ByteString.excerpt(of: bytes, byteCount: byteCount) }

    /// Does the same as ``excerpt(byteCount:)`` without copying the bytes.
    package static func excerpt(of bytes: some RandomAccessCollection<UInt8>, byteCount: Int) -> String {
        guard bytes.count > byteCount else { return String(decoding: bytes, as: UTF8.self) }
        var end = bytes.index(bytes.startIndex, offsetBy: byteCount)
        var stepCount = 0
        while end > bytes.startIndex, stepCount < 3, bytes[end] & 0xC0 == 0x80 {
            bytes.formIndex(before: &end)
            stepCount += 1
        }
        return String(decoding: bytes[..<end], as: UTF8.self) + "…"
    }
}
