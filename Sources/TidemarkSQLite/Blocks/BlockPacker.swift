import CZstd
import TidemarkModel

/// Compresses the data of blocks, with the parameters of ``PayloadEncoder``. Owner: the thread that writes.
final class BlockPacker {
    private let context: OpaquePointer
    /// The dictionary that `context` uses now; nil when it uses none.
    private var current: OpaquePointer?
    private var buffer: [UInt8] = []

    /// - Throws: ``SQLiteFailure`` when there is no memory for a context.
    init() throws {
        guard let context = ZSTD_createCCtx() else { throw SQLiteFailure(code: 7, message: "no memory for zstd") }
        self.context = context
        PayloadEncoder.configure(context)
    }

    deinit {
        ZSTD_freeCCtx(context)
    }

    /// Compresses data.
    ///
    /// - Parameter dictionary: The dictionary of the type; nil for none.
    /// - Returns: The packed bytes, or the data itself if they would not be shorter.
    /// - Complexity: O(data.count).
    func pack(_ data: [UInt8], dictionary: PayloadDictionary?) -> (bytes: ArraySlice<UInt8>, codec: PayloadCodec.Codec)
    {
        guard data.count >= PayloadCodec.compressedByteCountMin else { return (data[...], .raw) }
        let form = dictionary?.compressing()
        if form != current {
            ZSTD_CCtx_refCDict(context, form)
            current = form
        }
        let room = ZSTD_compressBound(data.count)
        if buffer.count < room { buffer = Array(repeating: 0, count: room) }
        let count = buffer.withUnsafeMutableBytes { buffer in
            data.withUnsafeBytes { data in
                ZSTD_compress2(context, buffer.baseAddress, buffer.count, data.baseAddress, data.count)
            }
        }
        guard ZSTD_isError(count) == 0, count < data.count else { return (data[...], .raw) }
        defer { if buffer.count > 4 * BlockCodec.sharedByteCountMax { buffer = [] } }
        return (buffer[..<count], form == nil ? .zstd : .zstdWithDictionary)
    }
}
