import Foundation
import TidemarkModel

/// Decodes the bytes of rows into payloads, and refuses bytes that differ from those that were written.
///
/// The check is verified before anything is parsed. Decompression is bounded nevertheless, because a file can be
/// forged. Owner: one journal or one reader.
package final class PayloadDecoder {
    private let decompressor: Decompressor
    private var idText = IDText()
    /// A buffer in which a frame that was stored without its header gets it back.
    private var frame: [UInt8] = []

    /// Creates a decoder.
    ///
    /// - Throws: ``SQLiteError`` when there is no memory for it.
    package init() throws {
        decompressor = try Decompressor()
    }

    /// Returns true if the bytes are those that were written for this key with these stamps.
    package static func passesCheck(
        _ bytes: UnsafeRawBufferPointer, id: UnsafeRawBufferPointer, seal: PayloadSeal
    ) -> Bool {
        guard bytes.count > PayloadCodec.checkByteCount else { return false }
        let stored = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
        let check = Checksum.xxh64(
            UnsafeRawBufferPointer(rebasing: bytes[PayloadCodec.checkByteCount...]), seed: seal.seed(id: id))
        return stored == UInt32(truncatingIfNeeded: check)
    }

    /// Checks and decodes the body of a row.
    ///
    /// - Parameters:
    ///   - bytes: The body of a row.
    ///   - id: The 16 bytes of a UUID, or the id's text.
    ///   - seal: The key and the stamps that the payload must belong to.
    ///   - dictionaries: The dictionaries by number.
    /// - Returns: The payload, with the id where it was left out.
    /// - Throws: ``PayloadError``. At most ``PayloadCodec/payloadByteCountMax`` bytes are allocated before that.
    /// - Complexity: O(payload); 0.5 µs for 450 bytes with a dictionary.
    package func decode(
        _ bytes: UnsafeRawBufferPointer, id: UnsafeRawBufferPointer, seal: PayloadSeal,
        dictionaries: [Int64: PayloadDictionary]
    ) throws(PayloadError) -> [UInt8] {
        guard bytes.count > PayloadCodec.checkByteCount else { throw .truncated }
        guard PayloadDecoder.passesCheck(bytes, id: id, seal: seal) else { throw .checksumMismatch }
        let header = bytes[PayloadCodec.checkByteCount]
        guard let codec = PayloadCodec.Codec(rawValue: header & PayloadCodec.codecMask) else { throw .unknownFormat }
        let fields = try PayloadFields(bytes)
        var offset = fields.headOffset
        let body = UnsafeRawBufferPointer(rebasing: bytes[..<fields.range.lowerBound])

        var dictionary: PayloadDictionary?
        if codec.namesDictionary {
            guard let number = PayloadCodec.readVarint(body, at: &offset) else { throw .truncated }
            if codec != .deflate || number != 0 {
                guard let known = dictionaries[Int64(number)] else { throw .unknownDictionary }
                dictionary = known
            }
        }
        var contentCount = 0
        if codec != .raw {
            guard let count = PayloadCodec.readVarint(body, at: &offset) else { throw .truncated }
            contentCount = count
        }
        var idOffset: Int?
        if header & PayloadCodec.elidedFlag != 0 {
            guard let count = PayloadCodec.readVarint(body, at: &offset) else { throw .truncated }
            idOffset = count
        }
        let isBare = header & PayloadCodec.bareFlag != 0
        guard !isBare || codec != .deflate else { throw .unknownFormat }
        let data = UnsafeRawBufferPointer(rebasing: body[offset...])
        if codec == .raw { contentCount = data.count }
        let idCount = idOffset == nil ? 0 : seal.isUUID ? UUIDValue.textByteCount : id.count
        guard contentCount + idCount <= PayloadCodec.payloadByteCountMax else { throw .tooLarge }
        guard idOffset ?? 0 <= contentCount else { throw .lengthMismatch }

        let plan = Plan(
            codec: codec, isBare: isBare, data: data, contentCount: contentCount,
            idOffset: idOffset, idCount: idCount)
        return try content(plan, id: id, isUUID: seal.isUUID, dictionary: dictionary)
    }

    /// Returns the field data that is stored beside a payload.
    ///
    /// - Parameter bytes: The body of a row that ``decode(_:id:seal:dictionaries:)`` accepted.
    /// - Returns: A copy; empty when the body has no fields.
    package static func fields(_ bytes: UnsafeRawBufferPointer) throws(PayloadError) -> [UInt8] {
        Array(bytes[try PayloadFields(bytes).range])
    }

    // MARK: Steps

    /// The parsed head of a body: how its data becomes a payload.
    private struct Plan {
        var codec: PayloadCodec.Codec
        var isBare: Bool
        var data: UnsafeRawBufferPointer
        var contentCount: Int
        var idOffset: Int?
        var idCount: Int
    }

    private func content(
        _ plan: Plan, id: UnsafeRawBufferPointer, isUUID: Bool, dictionary: PayloadDictionary?
    ) throws(PayloadError) -> [UInt8] {
        var fault: PayloadError?
        let total = plan.contentCount + plan.idCount
        let payload = [UInt8](unsafeUninitializedCapacity: total) { buffer, initializedCount in
            let target = UnsafeMutableRawBufferPointer(buffer)
            fault = fill(target, plan, dictionary: dictionary)
            guard fault == nil else { return }
            if let idOffset = plan.idOffset, let start = target.baseAddress {
                memmove(start + idOffset + plan.idCount, start + idOffset, plan.contentCount - idOffset)
                idText.with(id: id, isUUID: isUUID) { text in
                    if let source = text.baseAddress { memcpy(start + idOffset, source, plan.idCount) }
                }
            }
            initializedCount = total
        }
        if let fault { throw fault }
        return payload
    }

    private func fill(
        _ target: UnsafeMutableRawBufferPointer, _ plan: Plan, dictionary: PayloadDictionary?
    ) -> PayloadError? {
        let content = UnsafeMutableRawBufferPointer(rebasing: target[..<plan.contentCount])
        if plan.codec == .raw {
            content.copyMemory(from: plan.data)
            return nil
        }
        guard plan.isBare else {
            return decompressor.decompress(plan.data, plan.codec, into: content, dictionary: dictionary)
        }
        guard plan.contentCount <= PayloadCodec.blockByteCountMax, plan.data.count <= PayloadCodec.blockByteCountMax
        else { return .tooLarge }
        if frame.count < plan.data.count + 8 { frame = Array(repeating: 0, count: plan.data.count * 2 + 8) }
        return frame.withUnsafeMutableBytes { frame in
            guard let start = frame.baseAddress, let source = plan.data.baseAddress else { return .notDecodable }
            let headerCount = PayloadCodec.writeFrameHeader(
                contentByteCount: plan.contentCount, blockByteCount: plan.data.count,
                into: start.assumingMemoryBound(to: UInt8.self))
            memcpy(start + headerCount, source, plan.data.count)
            let whole = UnsafeRawBufferPointer(rebasing: frame[..<(headerCount + plan.data.count)])
            return decompressor.decompress(whole, plan.codec, into: content, dictionary: dictionary)
        }
    }
}
