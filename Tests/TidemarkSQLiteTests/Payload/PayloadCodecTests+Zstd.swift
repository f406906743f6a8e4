import Testing

@testable import TidemarkSQLite

#if TIDEMARK_ZSTD
    import CZstd
#endif

/// Forged bodies with frames of zstd.
extension PayloadCodecTests {
    #if TIDEMARK_ZSTD
        private func magiclessFrame(_ content: [UInt8], windowLog: Int32 = 0, hasSize: Bool = true) -> [UInt8] {
            let context = ZSTD_createCCtx()
            defer { ZSTD_freeCCtx(context) }
            ZSTD_CCtx_setParameter(context, tm_zstd_c_format(), Int32(ZSTD_f_zstd1_magicless.rawValue))
            ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, hasSize ? 1 : 0)
            if windowLog > 0 { ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, windowLog) }
            var target = [UInt8](repeating: 0, count: ZSTD_compressBound(content.count))
            let count = ZSTD_compress2(context, &target, target.count, content, content.count)
            precondition(ZSTD_isError(count) == 0)
            return Array(target[..<count])
        }

        @Test func `a bomb is refused before it is unpacked`() {
            let frame = magiclessFrame([UInt8](repeating: 0, count: 64 << 20))
            #expect(frame.count < 10_000)
            #expect(decode(forged(header: 0x21, varint(64 << 20) + frame)) == .failure(.tooLarge))
            #expect(decode(forged(header: 0x21, varint(100) + frame)) == .failure(.lengthMismatch))
        }

        @Test func `a wide window is refused`() {
            let frame = magiclessFrame([UInt8](repeating: 7, count: 9 << 20), windowLog: 24)
            #expect(decode(forged(header: 0x21, varint(9 << 20) + frame)) == .failure(.windowTooLarge))
        }

        @Test func `a length other than the declared one is refused`() {
            let frame = magiclessFrame([UInt8](repeating: 7, count: 1_000))
            #expect(decode(forged(header: 0x21, varint(999) + frame)) == .failure(.lengthMismatch))
            let unsized = magiclessFrame([UInt8](repeating: 7, count: 1_000), hasSize: false)
            #expect(decode(forged(header: 0x21, varint(1_001) + unsized)) == .failure(.lengthMismatch))
            #expect(decode(forged(header: 0x21, varint(999) + unsized)) == .failure(.notDecodable))
        }
    #endif
}
