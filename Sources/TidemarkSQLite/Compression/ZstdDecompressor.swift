#if TIDEMARK_ZSTD
    import CZstd
    import TidemarkModel

    /// Unpacks zstd frames into as many bytes as are expected, and no more. Owner: one thread at a time.
    final class ZstdDecompressor {
        private let context: OpaquePointer
        private let format: ZSTD_format_e
        /// The dictionary that `context` uses now; nil when it uses none.
        private var current: OpaquePointer?

        /// - Parameter hasMagic: True for frames with their magic number.
        /// - Throws: ``SQLiteError`` when there is no memory for a context.
        init(hasMagic: Bool = false) throws {
            guard let context = ZSTD_createDCtx() else { throw SQLiteError(code: 7, message: "no memory for zstd") }
            self.context = context
            format = hasMagic ? ZSTD_f_zstd1 : ZSTD_f_zstd1_magicless
            ZSTD_DCtx_setParameter(context, tm_zstd_d_format(), Int32(format.rawValue))
        }

        deinit {
            ZSTD_freeDCtx(context)
        }

        /// Unpacks a frame.
        ///
        /// - Parameters:
        ///   - target: The memory for the expected bytes. What was unpacked before damage stays there.
        ///   - dictionary: A decompressing form; nil for none.
        /// - Returns: The fault, or nil when exactly the expected bytes were unpacked.
        func decompress(
            _ frame: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, dictionary: OpaquePointer?
        ) -> PayloadError? {
            var header = ZSTD_frameHeader()
            let result = ZSTD_getFrameHeader_advanced(&header, frame.baseAddress, frame.count, format)
            guard result == 0 else { return .notDecodable }
            guard header.windowSize <= PayloadCodec.windowByteCountMax else { return .windowTooLarge }
            let isUnknown = header.frameContentSize == tm_zstd_content_size_unknown()
            guard isUnknown || header.frameContentSize == UInt64(target.count) else { return .lengthMismatch }
            if dictionary != current {
                ZSTD_DCtx_refDDict(context, dictionary)
                current = dictionary
            }
            let count = ZSTD_decompressDCtx(
                context, target.baseAddress, target.count, frame.baseAddress, frame.count)
            guard ZSTD_isError(count) == 0 else { return .notDecodable }
            return count == target.count ? nil : .lengthMismatch
        }
    }
#endif
