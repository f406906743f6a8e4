/// Where a body holds what the store keeps of single fields' writes.
///
/// Most bodies have none, and then none of this costs them a byte: the format's number says so. The fields stand behind
/// the data, before the padding, under the same check.
struct PayloadFields {
    /// Where the head goes on behind the header and the fields' length.
    let headOffset: Int
    /// In the body; empty when there are none.
    let range: Range<Int>

    /// - Parameter body: Passed its check. Nothing is copied.
    /// - Throws: ``PayloadFault`` `.unknownFormat`, `.truncated` or `.tooLarge`; a forged body passes its check.
    init(_ body: UnsafeRawBufferPointer) throws(PayloadFault) {
        let headerOffset = PayloadCodec.checkByteCount
        guard body.count > headerOffset else { throw .truncated }
        let header = body[headerOffset]
        var end = body.count
        if header & PayloadCodec.paddedFlag != 0 { end -= PayloadCodec.paddingByteCount }
        var offset = headerOffset + 1
        guard offset <= end else { throw .truncated }
        switch header >> 5 {
        case PayloadCodec.formatVersion:
            range = end..<end
        case PayloadCodec.fieldsFormatVersion, PayloadCodec.reducedFormatVersion:
            guard let count = PayloadCodec.readVarint(body, at: &offset) else { throw .truncated }
            guard count <= PayloadCodec.fieldsByteCountMax else { throw .tooLarge }
            guard offset + count <= end else { throw .truncated }
            range = end - count..<end
        default:
            throw .unknownFormat
        }
        headOffset = offset
    }
}
