import Foundation
import TidemarkModel

/// Encodes payloads into the bytes of their rows; the hot half of ``PayloadCodec``.
///
/// An encoder keeps one compressor and its buffers for its whole life. Owner: the journal's writer.
package final class PayloadEncoder {
    /// The compression level: zstd's fastest normal level. Measured with a dictionary: level 3 saves 3 % of the bytes
    /// and costs twice the time.
    static let level: Int32 = 1

    /// The size of the buffer for bodies: 256 KiB. A larger payload gets a larger buffer until
    /// ``releaseLargeBuffers()``.
    static let blobByteCount = 1 << 18
    /// The size of the buffer for a payload without its id: 16 KiB.
    private static let elidedByteCount = 1 << 14

    private let compressor: Compressor
    private var idText = IDText()
    /// The buffer for a payload without its id.
    private var elided: UnsafeMutableRawBufferPointer
    /// The buffer for the bodies of one batch, one after another.
    private var blob: UnsafeMutableRawBufferPointer
    private var used = 0

    /// Creates an encoder.
    ///
    /// - Parameter compression: How payloads are compressed.
    /// - Throws: ``SQLiteError`` when there is no memory for a compressor.
    package init(_ compression: DataCompression = .standard) throws {
        compressor = try Compressor(compression)
        elided = .allocate(byteCount: PayloadEncoder.elidedByteCount, alignment: 16)
        blob = .allocate(byteCount: PayloadEncoder.blobByteCount, alignment: 16)
    }

    deinit {
        elided.deallocate()
        blob.deallocate()
    }

    /// Returns true if a payload's body fits after those of the batch. If not, the batch must be written first.
    func hasRoom(for payloadByteCount: Int) -> Bool {
        PayloadEncoder.room(for: payloadByteCount) <= blob.count - used
    }

    /// Starts a new batch; the bodies of the previous one become invalid.
    package func startBatch() {
        used = 0
    }

    /// Starts a batch, and frees the memory that only a large payload needed.
    func releaseLargeBuffers() {
        startBatch()
        if blob.count > PayloadEncoder.blobByteCount {
            blob.deallocate()
            blob = .allocate(byteCount: PayloadEncoder.blobByteCount, alignment: 16)
        }
        if elided.count > PayloadEncoder.elidedByteCount {
            elided.deallocate()
            elided = .allocate(byteCount: PayloadEncoder.elidedByteCount, alignment: 16)
        }
    }

    /// Encodes one payload after those of the batch.
    ///
    /// - Parameters:
    ///   - payload: A payload of at most ``PayloadCodec/payloadByteCountMax`` bytes. It must fit into the buffer,
    ///     unless the batch is empty.
    ///   - id: The 16 bytes of a UUID, or the id's text.
    ///   - seal: The key and the stamps of the payload.
    ///   - fields: The field data to store beside it, at most ``PayloadCodec/fieldsByteCountMax`` bytes; mostly empty.
    ///   - isReduced: The value of ``/TidemarkStore/FlushRow/isReduced``; when true, `fields` is not empty.
    ///   - dictionary: The dictionary of the type; nil for none.
    ///   - isPadded: True to leave space for a longer version, as for new rows.
    /// - Returns: The bytes of the row, valid until the next batch starts.
    /// - Complexity: O(payload.count); 1.5 µs for 430 bytes with a dictionary.
    package func encode(
        _ payload: UnsafeRawBufferPointer, id: UnsafeRawBufferPointer, seal: PayloadSeal,
        fields: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0), isReduced: Bool = false,
        dictionary: PayloadDictionary?, isPadded: Bool
    ) -> UnsafeRawBufferPointer {
        // No input reaches it: the state refuses a change that would make an entity larger, before anything
        // changes.
        precondition(
            payload.count <= PayloadCodec.payloadByteCountMax,
            "a payload has at most \(PayloadCodec.payloadByteCountMax) bytes, not \(payload.count)")
        PayloadEncoder.checkCount(of: fields)
        // No input reaches it: a reduced entity has field stamps as long as it is reduced, and the rows of a
        // file record both facts.
        precondition(!isReduced || !fields.isEmpty, "a reduced entity says so in its fields")
        reserve(payload.count + fields.count)
        let (content, idOffset) = withoutID(payload, id: id, isUUID: seal.isUUID)
        let target = UnsafeMutableRawBufferPointer(rebasing: blob[used...])
        var count = writeBody(
            content, idOffset: idOffset, fieldsCount: fields.count, isReduced: isReduced, dictionary: dictionary,
            isPadded: isPadded,
            into: target)
        if !fields.isEmpty {
            UnsafeMutableRawBufferPointer(rebasing: target[count...]).copyMemory(from: fields)
            count += fields.count
        }
        if isPadded {
            for index in 0..<PayloadCodec.paddingByteCount { target[count + index] = 0 }
            count += PayloadCodec.paddingByteCount
        }
        return PayloadEncoder.sealed(output(count), id: id, seal: seal)
    }

    /// Encodes a stored row with other stamps and fields. Its payload stays as it is.
    ///
    /// - Parameter bytes: The body of the row, which passed its check.
    /// - Returns: The new bytes of the row, valid until the next batch starts.
    /// - Throws: ``PayloadError`` when the bytes have an unknown format.
    func reseal(
        _ bytes: UnsafeRawBufferPointer, id: UnsafeRawBufferPointer, seal: PayloadSeal, fields: UnsafeRawBufferPointer,
        isReduced: Bool = false
    ) throws(PayloadError) -> UnsafeRawBufferPointer {
        PayloadEncoder.checkCount(of: fields)
        let old = try PayloadFields(bytes)
        reserve(bytes.count + fields.count)
        let target = UnsafeMutableRawBufferPointer(rebasing: blob[used...])
        if fields.isEmpty, bytes[PayloadCodec.checkByteCount] >> 5 == PayloadCodec.formatVersion {
            target.copyMemory(from: bytes)
            return PayloadEncoder.sealed(output(bytes.count), id: id, seal: seal)
        }
        var count = PayloadCodec.checkByteCount
        let flags = bytes[count] & PayloadCodec.flagsMask
        count += PayloadEncoder.writeHeader(
            flags, fieldsCount: fields.count, isReduced: isReduced, into: target, at: count)
        for part in [
            UnsafeRawBufferPointer(rebasing: bytes[old.headOffset..<old.range.lowerBound]), fields,
            UnsafeRawBufferPointer(rebasing: bytes[old.range.upperBound...]),
        ] where !part.isEmpty {
            UnsafeMutableRawBufferPointer(rebasing: target[count...]).copyMemory(from: part)
            count += part.count
        }
        return PayloadEncoder.sealed(output(count), id: id, seal: seal)
    }

    private static func checkCount(of fields: UnsafeRawBufferPointer) {
        // No input reaches it: the store drops single dates before their bytes exceed this bound.
        precondition(
            fields.count <= PayloadCodec.fieldsByteCountMax,
            "the fields of a payload have at most \(PayloadCodec.fieldsByteCountMax) bytes, not \(fields.count)")
    }

    /// Writes the header and the length of the fields.
    ///
    /// - Returns: The number of bytes written, at most 6.
    @inline(__always)
    private static func writeHeader(
        _ flags: UInt8, fieldsCount: Int, isReduced: Bool, into target: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) -> Int {
        guard fieldsCount > 0, let start = target.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            target[offset] = PayloadCodec.formatVersion << 5 | flags
            return 1
        }
        let format = isReduced ? PayloadCodec.reducedFormatVersion : PayloadCodec.fieldsFormatVersion
        target[offset] = format << 5 | flags
        return 1 + PayloadCodec.writeVarint(UInt64(fieldsCount), into: start + offset + 1)
    }

    private func output(_ count: Int) -> UnsafeMutableRawBufferPointer {
        let body = UnsafeMutableRawBufferPointer(rebasing: blob[used..<used + count])
        used += count
        return body
    }

    private static func sealed(
        _ body: UnsafeMutableRawBufferPointer, id: UnsafeRawBufferPointer, seal: PayloadSeal
    ) -> UnsafeRawBufferPointer {
        let check = Checksum.xxh64(
            UnsafeRawBufferPointer(rebasing: body[PayloadCodec.checkByteCount...]), seed: seal.seed(id: id))
        body.storeBytes(of: UInt32(truncatingIfNeeded: check).littleEndian, as: UInt32.self)
        return UnsafeRawBufferPointer(body)
    }

    /// Returns a sample for training a dictionary: the payload in the form in which it is compressed. Valid until the
    /// next call.
    func sample(
        _ payload: UnsafeRawBufferPointer, id: UnsafeRawBufferPointer, isUUID: Bool
    ) -> UnsafeRawBufferPointer {
        // No input reaches it: it guards an order of calls inside this module.
        precondition(used == 0, "samples are taken between batches")
        reserve(payload.count)
        return withoutID(payload, id: id, isUUID: isUUID).content
    }

    // MARK: Steps

    private func withoutID(
        _ payload: UnsafeRawBufferPointer, id: UnsafeRawBufferPointer, isUUID: Bool
    ) -> (content: UnsafeRawBufferPointer, idOffset: Int?) {
        guard let start = payload.baseAddress, isUUID || id.count >= PayloadCodec.elidedIDByteCountMin,
            let target = elided.baseAddress
        else { return (payload, nil) }
        return idText.with(id: id, isUUID: isUUID) { text in
            guard let offset = PayloadEncoder.offset(ofQuoted: text, in: payload) else { return (payload, nil) }
            let rest = payload.count - offset - text.count
            memcpy(target, start, offset)
            memcpy(target + offset, start + offset + text.count, rest)
            return (UnsafeRawBufferPointer(start: target, count: offset + rest), offset)
        }
    }

    /// Finds the id in the payload as a JSON string. An id that is a number is not found.
    ///
    /// - Returns: The offset of the id's text; nil when it does not follow one of the first ``quoteCountMax`` quotes.
    static func offset(ofQuoted text: UnsafeRawBufferPointer, in payload: UnsafeRawBufferPointer) -> Int? {
        guard let start = payload.baseAddress, let textStart = text.baseAddress else { return nil }
        var offset = 0
        for _ in 0..<quoteCountMax {
            guard let quote = memchr(start + offset, Int32(UInt8(ascii: "\"")), payload.count - offset) else {
                return nil
            }
            offset = UnsafeRawPointer(quote) - start + 1
            guard offset + text.count <= payload.count else { return nil }
            if memcmp(start + offset, textStart, text.count) == 0 { return offset }
        }
        return nil
    }

    /// The most quotes after which the id is searched: 64. The id mostly follows the third.
    private static let quoteCountMax = 64

    /// Writes everything except the check, the fields and the padding.
    private func writeBody(
        _ content: UnsafeRawBufferPointer, idOffset: Int?, fieldsCount: Int, isReduced: Bool,
        dictionary: PayloadDictionary?, isPadded: Bool, into target: UnsafeMutableRawBufferPointer
    ) -> Int {
        guard let start = target.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        let capacity = target.count - PayloadEncoder.overheadByteCountMax - fieldsCount
        var flags: UInt8 = 0
        if isPadded { flags |= PayloadCodec.paddedFlag }
        if idOffset != nil { flags |= PayloadCodec.elidedFlag }
        // The header says raw unless compressing turns out shorter.
        let headEnd =
            PayloadCodec.checkByteCount
            + PayloadEncoder.writeHeader(
                flags | PayloadCodec.Codec.raw.rawValue, fieldsCount: fieldsCount, isReduced: isReduced,
                into: target, at: PayloadCodec.checkByteCount)

        let codec = compressor.codec(with: dictionary)
        let used = codec == .zstd ? nil : dictionary
        var position = headEnd
        if codec.namesDictionary {
            position += PayloadCodec.writeVarint(UInt64(used?.number ?? 0), into: start + position)
        }
        position += PayloadCodec.writeVarint(UInt64(content.count), into: start + position)
        if let idOffset { position += PayloadCodec.writeVarint(UInt64(idOffset), into: start + position) }
        let room = UnsafeMutableRawBufferPointer(start: start + position, count: capacity)
        if content.count >= PayloadCodec.compressedByteCountMin,
            let packedCount = compressor.compress(content, into: room, dictionary: used),
            position + packedCount < headEnd + 2 + content.count
        {
            let bareCount =
                codec == .deflate
                ? nil : stripFrameHeader(start + position, packedCount, contentByteCount: content.count)
            start[PayloadCodec.checkByteCount] |= codec.rawValue | (bareCount == nil ? 0 : PayloadCodec.bareFlag)
            return position + (bareCount ?? packedCount)
        }

        position = headEnd
        if let idOffset { position += PayloadCodec.writeVarint(UInt64(idOffset), into: start + position) }
        if let source = content.baseAddress { memcpy(start + position, source, content.count) }
        return position + content.count
    }

    /// Removes the header of a frame that has one compressed block.
    ///
    /// - Returns: The size of the block; nil when the frame has another form, and is not changed.
    private func stripFrameHeader(
        _ frame: UnsafeMutablePointer<UInt8>, _ frameCount: Int, contentByteCount: Int
    ) -> Int? {
        guard contentByteCount <= PayloadCodec.blockByteCountMax else { return nil }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 8) { expected in
            guard let header = expected.baseAddress else { return nil }
            let headerCount = PayloadCodec.writeFrameHeader(
                contentByteCount: contentByteCount, blockByteCount: 0, into: header)
            let blockCount = frameCount - headerCount
            guard blockCount > 0,
                PayloadCodec.writeFrameHeader(
                    contentByteCount: contentByteCount, blockByteCount: blockCount, into: header) == headerCount,
                memcmp(frame, header, headerCount) == 0
            else { return nil }
            memmove(frame, frame + headerCount, blockCount)
            return blockCount
        }
    }

    /// The most bytes of check, header, four integers and padding, rounded up.
    private static let overheadByteCountMax = 64

    /// Returns the most bytes that a payload's body can have.
    static func room(for payloadByteCount: Int) -> Int {
        Compressor.bound(payloadByteCount) + overheadByteCountMax
    }

    private func reserve(_ byteCount: Int) {
        if elided.count < byteCount {
            elided.deallocate()
            elided = .allocate(byteCount: byteCount * 2, alignment: 16)
        }
        guard !hasRoom(for: byteCount) else { return }
        // No input reaches it: chunks are cut with the same estimate of size, and a larger payload gets a batch
        // of its own.
        precondition(used == 0, "no room for \(byteCount) bytes behind \(used) bytes of a batch")
        blob.deallocate()
        blob = .allocate(byteCount: PayloadEncoder.room(for: byteCount) * 2, alignment: 16)
    }
}
