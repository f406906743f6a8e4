#if TIDEMARK_ZSTD
    import CZstd
    import Synchronization

    /// Packs one response as a zstd frame.
    final class ZstdWriter: StreamPacker {
        /// The state of zstd.
        ///
        /// Sendable because it is behind a lock, which is held for each call.
        private struct State: @unchecked Sendable {
            // Only used under the lock of its owner, who alone has the pointer and frees it.
            let stream: OpaquePointer
        }

        private let state: Mutex<State>
        /// A window of 4 KiB, as for gzip: there may be many streams at a time.
        private static let windowLog: Int32 = 12
        private static let level: Int32 = 1
        private static let pieceByteCount = 16 << 10

        /// Creates a writer; nil if there is no memory for it.
        init?() {
            guard let stream = ZSTD_createCCtx() else { return nil }
            ZSTD_CCtx_setParameter(stream, ZSTD_c_compressionLevel, ZstdWriter.level)
            ZSTD_CCtx_setParameter(stream, ZSTD_c_windowLog, ZstdWriter.windowLog)
            state = Mutex(State(stream: stream))
        }

        deinit {
            state.withLock { state in _ = ZSTD_freeCCtx(state.stream) }
        }

        /// Returns the packed form of bytes.
        ///
        /// - Parameter isEnd: True to end the frame behind them.
        func packed(_ bytes: [UInt8], isEnd: Bool) -> [UInt8] {
            if bytes.isEmpty, !isEnd { return [] }
            return state.withLock { state in
                var packed: [UInt8] = []
                var offset = 0
                var rest = 0
                repeat {
                    packed += [UInt8](unsafeUninitializedCapacity: ZstdWriter.pieceByteCount) { piece, count in
                        bytes.withUnsafeBytes { bytes in
                            var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: offset)
                            var output = ZSTD_outBuffer(dst: piece.baseAddress, size: piece.count, pos: 0)
                            rest = ZSTD_compressStream2(
                                state.stream, &output, &input, isEnd ? ZSTD_e_end : ZSTD_e_flush)
                            precondition(ZSTD_isError(rest) == 0, "zstd refused its own state")
                            offset = input.pos
                            count = output.pos
                        }
                    }
                } while rest > 0 || offset < bytes.count
                return packed
            }
        }
    }
#endif
