import CZstd
import TidemarkModel
import TidemarkStore

/// A trained zstd dictionary, in the forms for compressing and decompressing.
///
/// Each form has a copy of `bytes` inside zstd, and is freed with the last owner.
package final class PayloadDictionary {
    let number: Int64
    let type: TypeIndex
    let bytes: [UInt8]
    private var madeForCompressing: OpaquePointer?
    private var madeForDecompressing: OpaquePointer?

    /// Creates a dictionary, without any form yet.
    ///
    /// - Parameter bytes: The bytes from ``DictionaryTrainer``.
    package init(number: Int64, type: TypeIndex, bytes: [UInt8]) {
        self.number = number
        self.type = type
        self.bytes = bytes
    }

    deinit {
        ZSTD_freeCDict(madeForCompressing)
        ZSTD_freeDDict(madeForDecompressing)
    }

    /// Returns the form for compressing. It is created at the first use, because a reader needs only the other form,
    /// and each takes about 100 KiB.
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

    /// True if zstd trained the dictionary. Zstd also accepts other bytes, as a prefix.
    var isTrained: Bool { bytes.withUnsafeBytes { ZDICT_getDictID($0.baseAddress, $0.count) } != 0 }

    /// Returns the checksum of the dictionary's row, which detects a single flipped bit.
    static func checksum(number: Int64, type: TypeIndex, bytes: [UInt8]) -> Int64 {
        let seed = UInt64(bitPattern: number) << 16 | UInt64(type)
        return Int64(bitPattern: bytes.withUnsafeBytes { Checksum.xxh64($0, seed: seed) })
    }
}
