import CZstd
import TidemarkModel

/// A trained zstd dictionary in the forms that compressing and decompressing want.
///
/// Both forms reference `bytes`' copy inside zstd; freed with the last owner.
package final class PayloadDictionary {
    let number: Int64
    let type: UInt16
    let bytes: [UInt8]
    private var madeForCompressing: OpaquePointer?
    private var madeForDecompressing: OpaquePointer?

    /// - Parameter bytes: As ``DictionaryTrainer`` made them.
    package init(number: Int64, type: UInt16, bytes: [UInt8]) {
        self.number = number
        self.type = type
        self.bytes = bytes
    }

    deinit {
        ZSTD_freeCDict(madeForCompressing)
        ZSTD_freeDDict(madeForDecompressing)
    }

    /// Made on first use: a reader needs only the other one, and each takes some 100 KiB.
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

    /// Made on first use.
    ///
    /// - Returns: nil when zstd cannot read the bytes.
    func decompressing() -> OpaquePointer? {
        if madeForDecompressing == nil {
            madeForDecompressing = bytes.withUnsafeBytes { ZSTD_createDDict($0.baseAddress, $0.count) }
        }
        return madeForDecompressing
    }

    /// Whether zstd made it; other bytes serve as a prefix to it, too.
    var isTrained: Bool { bytes.withUnsafeBytes { ZDICT_getDictID($0.baseAddress, $0.count) } != 0 }

    /// What the dictionary's row carries, so that one flipped bit is seen.
    static func checksum(number: Int64, type: UInt16, bytes: [UInt8]) -> Int64 {
        let seed = UInt64(bitPattern: number) << 16 | UInt64(type)
        return Int64(bitPattern: bytes.withUnsafeBytes { Checksum.xxh64($0, seed: seed) })
    }
}
