import CZstd
import TidemarkModel

/// Decompresses the data of blocks within the bounds in their heads. Owner: one thread at a time.
final class BlockUnpacker {
    private let context: OpaquePointer
    /// The dictionary that `context` uses now; nil when it uses none.
    private var current: OpaquePointer?

    /// - Throws: ``SQLiteFailure`` when there is no memory for a context.
    init() throws {
        guard let context = ZSTD_createDCtx() else { throw SQLiteFailure(code: 7, message: "no memory for zstd") }
        self.context = context
        ZSTD_DCtx_setParameter(context, tm_zstd_d_format(), Int32(ZSTD_f_zstd1_magicless.rawValue))
    }

    deinit {
        ZSTD_freeDCtx(context)
    }

    /// Unpacks the data of a block.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the block.
    ///   - dictionaries: The dictionaries by number.
    /// - Returns: The unpacked data, of ``BlockHead/unpackedCount`` bytes.
    /// - Throws: ``PayloadFault``.
    /// - Complexity: O(unpacked bytes); 15 µs for a usual block.
    func unpack(
        _ bytes: UnsafeRawBufferPointer, _ head: BlockHead, dictionaries: [Int64: PayloadDictionary]
    ) throws(PayloadFault) -> [UInt8] {
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
    ) -> ([UInt8], PayloadFault?) {
        let packed = UnsafeRawBufferPointer(rebasing: bytes[head.data.clamped(to: 0..<bytes.count)])
        guard packed.count == head.data.count else { return ([], .truncated) }
        if head.codec == .raw { return (Array(packed), nil) }
        var form: OpaquePointer?
        if let number = head.dictionary {
            guard let known = dictionaries[number]?.decompressing() else { return ([], .unknownDictionary) }
            form = known
        }
        var header = ZSTD_frameHeader()
        let result = ZSTD_getFrameHeader_advanced(&header, packed.baseAddress, packed.count, ZSTD_f_zstd1_magicless)
        guard result == 0 else { return ([], .notDecodable) }
        guard header.windowSize <= PayloadCodec.windowByteCountMax else { return ([], .windowTooLarge) }
        let isUnknown = header.frameContentSize == tm_zstd_content_size_unknown()
        guard isUnknown || header.frameContentSize == UInt64(head.unpackedCount) else { return ([], .lengthMismatch) }
        if form != current {
            ZSTD_DCtx_refDDict(context, form)
            current = form
        }
        var count = 0
        // zstd leaves in the buffer what it decoded before the damage.
        var data = [UInt8](repeating: 0, count: head.unpackedCount)
        data.withUnsafeMutableBytes { data in
            count = ZSTD_decompressDCtx(context, data.baseAddress, data.count, packed.baseAddress, packed.count)
        }
        guard ZSTD_isError(count) == 0 else { return (data, .notDecodable) }
        return (data, count == head.unpackedCount ? nil : .lengthMismatch)
    }
}
