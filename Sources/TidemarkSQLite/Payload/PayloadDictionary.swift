#if TIDEMARK_ZSTD
    import CZstd
#endif
import TidemarkModel
import TidemarkStore

/// A trained dictionary: zstd's, or one of ``SegmentTrainer``. Every codec can use both.
///
/// zstd makes forms of it for compressing and decompressing. Each has a copy of `bytes`, and is freed with the last
/// owner.
package final class PayloadDictionary {
    /// The most bytes of a dictionary that deflate uses: 32 KiB, as far as it can look back.
    static let deflateByteCountMax = 32 << 10
    /// The first bytes of a dictionary that zstd trained.
    private static let magic: [UInt8] = [0x37, 0xA4, 0x30, 0xEC]
    /// The first bytes of a dictionary that was assembled from segments.
    static let segmentsMark = Array("tidemark".utf8)

    let number: Int64
    let type: TypeIndex
    let bytes: [UInt8]
    #if TIDEMARK_ZSTD
        private var madeForCompressing: OpaquePointer?
        private var madeForDecompressing: OpaquePointer?
    #endif

    /// Creates a dictionary, without any form yet.
    ///
    /// - Parameter bytes: The bytes from ``DictionaryTrainer``.
    package init(number: Int64, type: TypeIndex, bytes: [UInt8]) {
        self.number = number
        self.type = type
        self.bytes = bytes
    }

    /// The bytes that deflate uses.
    var lastBytes: ArraySlice<UInt8> { bytes.suffix(PayloadDictionary.deflateByteCountMax) }

    /// Prepares for compressing, which must not happen on two threads at once.
    ///
    /// - Returns: False if there is no memory for it.
    @discardableResult
    func prepareForCompressing(by compression: DataCompression) -> Bool {
        #if TIDEMARK_ZSTD
            if compression == .zstd { return compressing() != nil }
        #endif
        return compression == .deflate
    }

    /// Prepares for decompressing, which must not happen on two threads at once.
    func prepareForDecompressing() {
        #if TIDEMARK_ZSTD
            _ = decompressing()
        #endif
    }

    /// True if the bytes are those of a trained dictionary. zstd also accepts other bytes, as a prefix.
    var isTrained: Bool {
        guard bytes.starts(with: PayloadDictionary.magic) else {
            return bytes.starts(with: PayloadDictionary.segmentsMark)
        }
        #if TIDEMARK_ZSTD
            return decompressing() != nil && bytes.withUnsafeBytes { ZDICT_getDictID($0.baseAddress, $0.count) } != 0
        #else
            return true
        #endif
    }

    #if TIDEMARK_ZSTD
        deinit {
            ZSTD_freeCDict(madeForCompressing)
            ZSTD_freeDDict(madeForDecompressing)
        }

        /// Returns the form for compressing. It is created at the first use, because a reader needs only the other
        /// form, and each takes about 100 KiB.
        ///
        /// - Returns: nil when zstd has no memory for it.
        func compressing() -> OpaquePointer? {
            if madeForCompressing == nil {
                madeForCompressing = bytes.withUnsafeBytes {
                    ZSTD_createCDict($0.baseAddress, $0.count, PayloadEncoder.level)
                }
            }
            return madeForCompressing
        }

        /// Returns the form for decompressing, which is created at the first use.
        ///
        /// - Returns: nil when zstd cannot read the bytes.
        func decompressing() -> OpaquePointer? {
            if madeForDecompressing == nil {
                madeForDecompressing = bytes.withUnsafeBytes { ZSTD_createDDict($0.baseAddress, $0.count) }
            }
            return madeForDecompressing
        }
    #endif

    /// Returns the checksum of the dictionary's row, which detects a single flipped bit.
    static func checksum(number: Int64, type: TypeIndex, bytes: [UInt8]) -> Int64 {
        let seed = UInt64(bitPattern: number) << 16 | UInt64(type)
        return Int64(bitPattern: bytes.withUnsafeBytes { Checksum.xxh64($0, seed: seed) })
    }
}
