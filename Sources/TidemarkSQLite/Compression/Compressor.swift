import TidemarkModel

/// Compresses data by one method, and keeps the method's memory for its whole life. Owner: one thread at a time.
final class Compressor {
    let compression: DataCompression
    private let deflate: DeflateCompressor?
    #if TIDEMARK_ZSTD
        private let zstd: ZstdCompressor?
    #endif

    /// Creates a compressor.
    ///
    /// - Parameters:
    ///   - compression: A method that this build has.
    ///   - writesMagic: True for zstd frames with their magic number, which stand where nothing else names the method.
    /// - Throws: ``SQLiteError`` when there is no memory.
    init(_ compression: DataCompression, writesMagic: Bool = false) throws {
        // No input reaches it: an opening with another method is refused.
        precondition(
            DataCompression.available.contains(compression), "this build does not have \(compression.rawValue)")
        self.compression = compression
        deflate = compression == .deflate ? try DeflateCompressor() : nil
        #if TIDEMARK_ZSTD
            zstd = compression == .zstd ? try ZstdCompressor(writesMagic: writesMagic) : nil
        #endif
    }

    /// Returns the codec of data that is compressed with a dictionary, or without one.
    func codec(with dictionary: PayloadDictionary?) -> PayloadCodec.Codec {
        switch compression {
        case .deflate: .deflate
        case .zstd: dictionary?.prepareForCompressing(by: .zstd) == true ? .zstdWithDictionary : .zstd
        }
    }

    /// Compresses data.
    ///
    /// - Parameter dictionary: The dictionary of the type; nil for none.
    /// - Returns: The number of bytes written; nil when they do not fit into `target`.
    /// - Complexity: O(content.count); with deflate also O(dictionary.count).
    func compress(
        _ content: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, dictionary: PayloadDictionary?
    ) -> Int? {
        if let deflate { return deflate.compress(content, into: target, dictionary: dictionary?.lastBytes) }
        #if TIDEMARK_ZSTD
            if let zstd { return zstd.compress(content, into: target, dictionary: dictionary?.compressing()) }
        #endif
        return nil
    }

    /// Returns the most bytes that data can need, by any method. Data that does not become shorter is not compressed.
    ///
    /// - Source: the bound of zstd's frames, zstd.h.
    static func bound(_ byteCount: Int) -> Int {
        let small = 128 << 10
        return byteCount + byteCount >> 8 + (byteCount < small ? (small - byteCount) >> 11 : 0)
    }
}
