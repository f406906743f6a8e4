import TidemarkModel

/// Compresses the data of blocks, with the parameters of ``PayloadEncoder``. Owner: the thread that writes.
final class BlockPacker {
    private let compressor: Compressor
    private var buffer: [UInt8] = []

    /// - Throws: ``SQLiteError`` when there is no memory for a compressor.
    init(_ compression: DataCompression = .standard) throws {
        compressor = try Compressor(compression)
    }

    /// Compresses data.
    ///
    /// - Parameter dictionary: The dictionary of the type; nil for none.
    /// - Returns: The packed bytes, or the data itself if they would not be shorter.
    /// - Complexity: O(data.count).
    func pack(_ data: [UInt8], dictionary: PayloadDictionary?) -> (bytes: ArraySlice<UInt8>, codec: PayloadCodec.Codec)
    {
        guard data.count >= PayloadCodec.compressedByteCountMin else { return (data[...], .raw) }
        let codec = compressor.codec(with: dictionary)
        let room = Compressor.bound(data.count)
        if buffer.count < room { buffer = Array(repeating: 0, count: room) }
        let count = buffer.withUnsafeMutableBytes { buffer in
            data.withUnsafeBytes { data in
                compressor.compress(data, into: buffer, dictionary: codec == .zstd ? nil : dictionary)
            }
        }
        guard let count, count < data.count else { return (data[...], .raw) }
        defer { if buffer.count > 4 * BlockCodec.sharedByteCountMax { buffer = [] } }
        return (buffer[..<count], codec)
    }
}
