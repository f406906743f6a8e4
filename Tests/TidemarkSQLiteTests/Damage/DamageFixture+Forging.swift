import TidemarkModel
import TidemarkStore
import TidemarkTesting

#if TIDEMARK_ZSTD
    import CZstd
#endif

@testable import TidemarkSQLite

/// Bodies with valid checks and invalid contents, as an attacker who can compute checksums would make them.
extension DamageFixture {
    /// - Returns: A body for the row of an entity, in SQL.
    func forged(row: Int, header: UInt8, _ rest: [UInt8]) -> String {
        let number = row - 1
        let key = Self.key(number)
        let id = StoredID(key.id)
        let isUUID = if case .uuid = id { true } else { false }
        let bytes = if case .uuid(let value) = id { value.bytes } else { key.id.bytes }
        let seal = PayloadSeal(
            library: key.library == "b" ? 0 : 1, type: key.type == "tag" ? 0 : 1, isUUID: isUUID,
            sequence: Int64(number + 1), generation: 0, writtenAt: 1_700_000_000_000)
        let covered = [header] + rest
        let seed = bytes.withUnsafeBytes { seal.seed(id: $0) }
        let check = UInt32(truncatingIfNeeded: covered.withUnsafeBytes { Checksum.xxh64($0, seed: seed) })
        return Self.blob(withUnsafeBytes(of: check.littleEndian) { Array($0) } + covered)
    }

    /// Returns an entity that unpacks to far more than allowed or declared.
    func bomb(row: Int, _ random: inout SeededGenerator) -> String {
        let (declared, isWide) = (random.pick([100, 1 << 20, 16 << 20, 64 << 20]), random.chance(300))
        let frame = isWide ? Self.wideFrame : Self.longFrame
        return forged(row: row, header: Self.header, Self.headerRest + Self.varint(declared) + frame)
    }

    /// Returns a layer that unpacks to far more than allowed or declared.
    func layerBomb(number: Int64, _ random: inout SeededGenerator) -> String {
        let frame = Self.magicFrame
        let declared = random.pick([10, 1 << 20, 256 << 20, 1 << 40])
        let body = [0x10] + Self.varint(declared) + Self.varint(frame.count) + frame
        let record = LayerRecord(
            number: number, pendingID: ByteString("edit-\(number)"), library: 1, createdAt: 1_700_000_000_000,
            changes: [])
        let checksum = body.withUnsafeBytes { LayerTable.checksum(record, library: "", flags: 0, body: $0) }
        return "UPDATE layers SET body = \(Self.blob(body)), checksum = \(checksum) WHERE number = \(number)"
    }

    // MARK: Parts

    /// A frame of 64 MiB of zeros in some thousand bytes.
    private static let longFrame = frame(byteCount: 64 << 20, windowLog: 0, isMagicless: true)
    private static let wideFrame = frame(byteCount: 9 << 20, windowLog: 24, isMagicless: true)
    private static let magicFrame = frame(byteCount: 64 << 20, windowLog: 0, isMagicless: false)

    #if TIDEMARK_ZSTD
        private static let header: UInt8 = 0x21
        private static let headerRest: [UInt8] = []

        private static func frame(byteCount: Int, windowLog: Int32, isMagicless: Bool) -> [UInt8] {
            let context = ZSTD_createCCtx()
            defer { ZSTD_freeCCtx(context) }
            if isMagicless {
                ZSTD_CCtx_setParameter(context, tm_zstd_c_format(), Int32(ZSTD_f_zstd1_magicless.rawValue))
            }
            if windowLog > 0 { ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, windowLog) }
            let content = [UInt8](repeating: 0, count: byteCount)
            var target = [UInt8](repeating: 0, count: ZSTD_compressBound(byteCount))
            let count = ZSTD_compress2(context, &target, target.count, content, byteCount)
            precondition(ZSTD_isError(count) == 0)
            return Array(target[..<count])
        }
    #else
        /// Deflate, without a dictionary.
        private static let header: UInt8 = 0x23
        private static let headerRest: [UInt8] = [0]

        private static func frame(byteCount: Int, windowLog: Int32, isMagicless: Bool) -> [UInt8] {
            let content = [UInt8](repeating: 0, count: byteCount)
            var target = [UInt8](repeating: 0, count: byteCount / 500)
            do {
                let compressor = try Compressor(.deflate)
                let count = content.withUnsafeBytes { content in
                    target.withUnsafeMutableBytes { compressor.compress(content, into: $0, dictionary: nil) }
                }
                return Array(target[..<(count ?? 0)])
            } catch {
                preconditionFailure("\(error)")
            }
        }
    #endif

    private static func varint(_ value: Int) -> [UInt8] {
        var (rest, bytes) = (value, [UInt8]())
        while rest >= 128 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private static func blob(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return "x'\(String(decoding: text, as: UTF8.self))'"
    }
}
