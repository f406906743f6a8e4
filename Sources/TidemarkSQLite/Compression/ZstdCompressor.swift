#if TIDEMARK_ZSTD
    import CZstd
    import TidemarkModel

    /// Compresses data into zstd frames. Owner: one thread at a time.
    final class ZstdCompressor {
        private let context: OpaquePointer
        /// The dictionary that `context` uses now; nil when it uses none.
        private var current: OpaquePointer?

        /// - Parameter writesMagic: False for frames without magic number, checksum and dictionary id, which
        ///   ``PayloadCodec`` describes.
        /// - Throws: ``SQLiteError`` when there is no memory for a context.
        init(writesMagic: Bool) throws {
            guard let context = ZSTD_createCCtx() else { throw SQLiteError(code: 7, message: "no memory for zstd") }
            self.context = context
            ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, PayloadEncoder.level)
            guard !writesMagic else { return }
            ZSTD_CCtx_setParameter(context, tm_zstd_c_format(), Int32(ZSTD_f_zstd1_magicless.rawValue))
            ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 1)
            ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 0)
            ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0)
        }

        deinit {
            ZSTD_freeCCtx(context)
        }

        /// Compresses data.
        ///
        /// - Parameter dictionary: A compressing form; nil for none.
        /// - Returns: The number of bytes written; nil when they do not fit into `target`.
        func compress(
            _ content: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, dictionary: OpaquePointer?
        ) -> Int? {
            if dictionary != current {
                ZSTD_CCtx_refCDict(context, dictionary)
                current = dictionary
            }
            let count = ZSTD_compress2(context, target.baseAddress, target.count, content.baseAddress, content.count)
            return ZSTD_isError(count) == 0 ? count : nil
        }
    }
#endif
