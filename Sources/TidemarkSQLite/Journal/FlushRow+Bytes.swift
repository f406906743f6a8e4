import TidemarkModel
import TidemarkStore

/// Where a row's id, payload and fields lie among the bytes of its flush.
extension FlushRow {
    func id(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[idOffset..<idOffset + idCount])
    }

    func payload(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[payloadOffset..<payloadOffset + payloadCount])
    }

    /// Mostly none.
    func fields(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard fieldsCount > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: bytes[fieldsOffset..<fieldsOffset + fieldsCount])
    }

    func storedKey(id: UnsafeRawBufferPointer) -> StoredKey {
        let uuid = isUUID ? UUIDValue(bytes: id) : nil
        return StoredKey(library: library, type: type, id: uuid.map { .uuid($0) } ?? .text(ByteString(id)))
    }
}
