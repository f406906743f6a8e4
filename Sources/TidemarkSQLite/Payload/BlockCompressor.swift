import TidemarkModel

/// Compresses bytes of any length as blocks that are small enough to be unpacked under a bound.
///
/// ```
/// blocks     each but the last unpacks to 1 MiB: v with its size, and the bytes: a zstd frame, raw deflate,
///            or, when the size is that of the content, the content itself
/// ```
/// `v` is a little-endian base-128 integer. A frame begins with zstd's magic number, as no deflate can: its first byte
/// would begin a block of 12,213 stored bytes, and the next ones contradict that. Owner: the journal's writer;
/// unpacking needs no state.
package final class BlockCompressor {
    /// The unpacked size of a block: 1 MiB.
    static let blockByteCount = 1 << 20

    private static let zstdMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

    private let compressor: Compressor

    /// Creates a compressor.
    ///
    /// - Throws: ``SQLiteError`` when there is no memory for it.
    package init(_ compression: DataCompression = .standard) throws {
        compressor = try Compressor(compression, writesMagic: true)
    }

    /// Appends the blocks of `content`.
    ///
    /// - Complexity: O(content).
    func append(_ content: [UInt8], to bytes: inout [UInt8]) {
        content.withUnsafeBytes { content in
            for start in stride(from: 0, to: content.count, by: BlockCompressor.blockByteCount) {
                let end = min(start + BlockCompressor.blockByteCount, content.count)
                let block = UnsafeRawBufferPointer(rebasing: content[start..<end])
                let frame = compressed(block)
                PayloadCodec.append(frame?.count ?? block.count, to: &bytes)
                if let frame { bytes += frame } else { bytes += block }
            }
        }
    }

    /// Compresses a block; nil when the result is not shorter.
    private func compressed(_ block: UnsafeRawBufferPointer) -> [UInt8]? {
        let packed = [UInt8](unsafeUninitializedCapacity: block.count) { buffer, count in
            let packedCount = compressor.compress(block, into: UnsafeMutableRawBufferPointer(buffer), dictionary: nil)
            count = packedCount ?? block.count
        }
        return packed.count < block.count ? packed : nil
    }

    /// Unpacks all blocks.
    ///
    /// - Parameters:
    ///   - bytes: Any bytes; read from `offset` to their end.
    ///   - count: The expected unpacked size. Memory is allocated a block at a time, after the frame's header was
    ///     checked.
    /// - Throws: ``PayloadError``.
    static func content(
        _ bytes: UnsafeRawBufferPointer, at offset: inout Int, count: Int
    ) throws(PayloadError) -> [UInt8] {
        var content: [UInt8] = []
        while content.count < count {
            let blockCount = min(blockByteCount, count - content.count)
            guard let length = PayloadCodec.readVarint(bytes, at: &offset) else { throw .truncated }
            guard length <= bytes.count - offset else { throw .truncated }
            let block = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
            offset += length
            if length == blockCount {
                content += block
            } else {
                content += try unpacked(block, count: blockCount)
            }
        }
        guard offset == bytes.count else { throw .lengthMismatch }
        return content
    }

    private static func unpacked(_ packed: UnsafeRawBufferPointer, count: Int) throws(PayloadError) -> [UInt8] {
        var fault: PayloadError?
        let block = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            fault = unpack(
                packed, into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
            initializedCount = fault == nil ? count : 0
        }
        if let fault { throw fault }
        return block
    }

    private static func unpack(
        _ packed: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> PayloadError? {
        do {
            guard packed.starts(with: zstdMagic) else {
                return try DeflateDecompressor().decompress(packed, into: target, dictionary: nil)
            }
            #if TIDEMARK_ZSTD
                return try ZstdDecompressor(hasMagic: true).decompress(packed, into: target, dictionary: nil)
            #else
                return .codecMissing
            #endif
        } catch {
            return .notDecodable
        }
    }
}
