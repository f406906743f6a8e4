import TidemarkModel

/// Decompresses the data of blocks within the bounds in their heads. Owner: one thread at a time.
final class BlockUnpacker {
    private let decompressor: Decompressor

    /// - Throws: ``SQLiteError`` when there is no memory for it.
    init() throws {
        decompressor = try Decompressor()
    }

    /// Unpacks the data of a block.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the block.
    ///   - dictionaries: The dictionaries by number.
    /// - Returns: The unpacked data, of ``BlockHead/unpackedCount`` bytes.
    /// - Throws: ``PayloadError``.
    /// - Complexity: O(unpacked bytes); 15 µs for a usual block.
    func unpack(
        _ bytes: UnsafeRawBufferPointer, _ head: BlockHead, dictionaries: [Int64: PayloadDictionary]
    ) throws(PayloadError) -> [UInt8] {
        let (data, fault) = unpackAsFarAsPossible(bytes, head, dictionaries: dictionaries)
        if let fault { throw fault }
        return data
    }

    /// Unpacks damaged data. Bytes after the damage, and perhaps before it, are arbitrary, so each entity must pass its
    /// check.
    ///
    /// - Returns: ``BlockHead/unpackedCount`` bytes, or none if nothing can be unpacked; and the fault, or nil.
    func unpackAsFarAsPossible(
        _ bytes: UnsafeRawBufferPointer, _ head: BlockHead, dictionaries: [Int64: PayloadDictionary]
    ) -> ([UInt8], PayloadError?) {
        let packed = UnsafeRawBufferPointer(rebasing: bytes[head.data.clamped(to: 0..<bytes.count)])
        guard packed.count == head.data.count else { return ([], .truncated) }
        if head.codec == .raw { return (Array(packed), nil) }
        var dictionary: PayloadDictionary?
        if let number = head.dictionary {
            guard let known = dictionaries[number] else { return ([], .unknownDictionary) }
            dictionary = known
        }
        // A decompressor leaves in the buffer what it decoded before the damage.
        var data = [UInt8](repeating: 0, count: head.unpackedCount)
        let fault = data.withUnsafeMutableBytes { data in
            decompressor.decompress(packed, head.codec, into: data, dictionary: dictionary)
        }
        return (data, fault)
    }
}
