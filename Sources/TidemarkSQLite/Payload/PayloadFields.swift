/// Locates the field data in a body.
///
/// Most bodies have no fields. This costs them no byte, since the format number shows it. Fields are stored after the
/// data and before the padding, covered by the same check.
struct PayloadFields {
    /// The offset at which the rest of the head begins, after the header and the length of the fields.
    let headOffset: Int
    /// The range of the field data in the body; empty when there is none.
    let range: Range<Int>

    /// Parses a body.
    ///
    /// - Parameter body: A body that passed its check. Nothing is copied.
    /// - Throws: ``PayloadError`` `.unknownFormat`, `.truncated` or `.tooLarge`; a forged body can pass its check.
    init(_ body: UnsafeRawBufferPointer) throws(PayloadError) {
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
