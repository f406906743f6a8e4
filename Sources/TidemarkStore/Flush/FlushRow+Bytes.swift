import TidemarkModel

/// The id, the payload and the fields of a row.
extension FlushRow {
    /// Returns the bytes of the id.
    ///
    /// - Parameter bytes: The ``FlushBatch/bytes`` of the row's flush, here and below.
    package func id(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[idOffset..<idOffset + idCount])
    }

    /// Returns the bytes of the payload.
    ///
    /// - Returns: A buffer that is valid as long as `bytes`, and not after the end of the flush.
    package func payload(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if let lentPayload { return UnsafeRawBufferPointer(start: lentPayload, count: payloadCount) }
        return UnsafeRawBufferPointer(rebasing: bytes[payloadOffset..<payloadOffset + payloadCount])
    }

    /// Returns the encoded field stamps; empty for most rows.
    package func fields(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard fieldsCount > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: bytes[fieldsOffset..<fieldsOffset + fieldsCount])
    }

    package func storedKey(id: UnsafeRawBufferPointer) -> StoredKey {
        let uuid = isUUID ? UUIDValue(bytes: id) : nil
        return StoredKey(library: library, type: type, id: uuid.map { .uuid($0) } ?? .text(ByteString(id)))
    }
}

extension FlushBatch {
    /// Returns the key of a row of this flush.
    public func key(of row: FlushRow) -> StoredKey {
        bytes.withUnsafeBytes { row.storedKey(id: row.id(in: $0)) }
    }

    /// Returns a copy of the payload of a row: the resource as compact JSON; empty for `stamp` and `delete`.
    public func payload(of row: FlushRow) -> [UInt8] {
        bytes.withUnsafeBytes { Array(row.payload(in: $0)) }
    }

    /// Returns a copy of the record of single fields' writes, which a journal keeps beside the payload without reading
    /// it; empty for most rows, and for `delete`.
    public func fields(of row: FlushRow) -> [UInt8] {
        bytes.withUnsafeBytes { Array(row.fields(in: $0)) }
    }
}
