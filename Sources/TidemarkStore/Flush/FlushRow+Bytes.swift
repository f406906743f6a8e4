import TidemarkModel

/// A row's id, payload and fields.
extension FlushRow {
    /// - Parameter bytes: Of its flush, here and below.
    package func id(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[idOffset..<idOffset + idCount])
    }

    /// - Returns: Valid as long as `bytes`, and not beyond the end of the flush.
    package func payload(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if let lentPayload { return UnsafeRawBufferPointer(start: lentPayload, count: payloadCount) }
        return UnsafeRawBufferPointer(rebasing: bytes[payloadOffset..<payloadOffset + payloadCount])
    }

    /// Mostly none.
    package func fields(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard fieldsCount > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: bytes[fieldsOffset..<fieldsOffset + fieldsCount])
    }

    package func storedKey(id: UnsafeRawBufferPointer) -> StoredKey {
        let uuid = isUUID ? UUIDValue(bytes: id) : nil
        return StoredKey(library: library, type: type, id: uuid.map { .uuid($0) } ?? .text(ByteString(id)))
    }
}
