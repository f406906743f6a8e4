import CZstd
import TidemarkModel

/// Compresses bytes of any length as blocks that are small enough to be unpacked under a bound.
///
/// ```
/// blocks     each but the last unpacks to 1 MiB: v with its size, and the bytes: a zstd frame, or, when
///            the size is that of the content, the content itself
/// ```
/// `v` is a little-endian base-128 integer. Owner: the journal's writer; unpacking needs no state.
package final class BlockCompressor {
    /// The unpacked size of a block: 1 MiB.
    static let blockByteCount = 1 << 20

    private let context: OpaquePointer

    /// Creates a compressor.
    ///
    /// - Throws: ``SQLiteFailure`` when there is no memory for a context.
    package init() throws {
        guard let context = ZSTD_createCCtx() else { throw SQLiteFailure(code: 7, message: "no memory for zstd") }
        self.context = context
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, PayloadEncoder.level)
    }

    deinit {
        ZSTD_freeCCtx(context)
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
        var isShorter = false
        let frame = [UInt8](unsafeUninitializedCapacity: block.count) { buffer, count in
            let result = ZSTD_compress2(context, buffer.baseAddress, block.count, block.baseAddress, block.count)
            isShorter = ZSTD_isError(result) == 0 && result < block.count
            count = isShorter ? result : 0
        }
        return isShorter ? frame : nil
    }

    /// Unpacks all blocks.
    ///
    /// - Parameters:
    ///   - bytes: Any bytes; read from `offset` to their end.
    ///   - count: The expected unpacked size. Memory is allocated a block at a time, after the frame's header was
    ///     checked.
    /// - Throws: ``PayloadFault``.
    static func content(
        _ bytes: UnsafeRawBufferPointer, at offset: inout Int, count: Int
    ) throws(PayloadFault) -> [UInt8] {
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

    private static func unpacked(_ frame: UnsafeRawBufferPointer, count: Int) throws(PayloadFault) -> [UInt8] {
        var header = ZSTD_frameHeader()
        guard ZSTD_getFrameHeader(&header, frame.baseAddress, frame.count) == 0 else { throw .notDecodable }
        guard header.windowSize <= PayloadCodec.windowByteCountMax else { throw .windowTooLarge }
        guard header.frameContentSize == UInt64(count) else { throw .lengthMismatch }
        var result = 0
        let block = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            result = ZSTD_decompress(buffer.baseAddress, count, frame.baseAddress, frame.count)
            initializedCount = ZSTD_isError(result) == 0 ? result : 0
        }
        guard ZSTD_isError(result) == 0 else { throw .notDecodable }
        guard block.count == count else { throw .lengthMismatch }
        return block
    }
}
