import TidemarkModel

/// Formats an id as in a payload, between its quotes, without allocating.
struct IDText {
    private var storage: [UInt8] = Array(repeating: 0, count: UUIDValue.textByteCount)

    private static let digits: [UInt8] = Array("0123456789abcdef".utf8)

    /// Calls a closure with the text of an id.
    ///
    /// - Parameter id: The 16 bytes of a UUID, or the id's text.
    mutating func with<Result>(
        id: UnsafeRawBufferPointer, isUUID: Bool, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        guard isUUID else { return try body(id) }
        // No input reaches it: the UUID flag is set only where 16 bytes were parsed, and rows of other lengths
        // count as damaged.
        precondition(id.count == 16, "a UUID has 16 bytes, not \(id.count)")
        storage.withUnsafeMutableBufferPointer { text in
            IDText.digits.withUnsafeBufferPointer { digits in
                var position = 0
                for index in 0..<16 {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        text[position] = UInt8(ascii: "-")
                        position += 1
                    }
                    text[position] = digits[Int(id[index] >> 4)]
                    text[position + 1] = digits[Int(id[index] & 0xF)]
                    position += 2
                }
            }
        }
        return try storage.withUnsafeBytes(body)
    }
}
