import TidemarkModel

/// The id, the payload and the fields of a row.
extension FlushRow {
    /// Returns the bytes of the row's id.
    ///
    /// - Parameter bytes: The ``FlushBatch/bytes`` of the row's flush.
    package func id(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[idOffset..<idOffset + idCount])
    }

    /// Returns the bytes of the row's payload.
    ///
    /// - Parameter bytes: The ``FlushBatch/bytes`` of the row's flush.
    /// - Returns: A buffer that is valid as long as `bytes`, but not after the end of the flush.
    package func payload(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if let lentPayload { return UnsafeRawBufferPointer(start: lentPayload, count: payloadCount) }
        return UnsafeRawBufferPointer(rebasing: bytes[payloadOffset..<payloadOffset + payloadCount])
    }

    /// Returns the row's record of when single fields were written; empty for most rows.
    ///
    /// - Parameter bytes: The ``FlushBatch/bytes`` of the row's flush.
    package func fields(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard fieldsCount > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: bytes[fieldsOffset..<fieldsOffset + fieldsCount])
    }

    /// Returns the row's key.
    ///
    /// - Parameter id: The bytes that ``id(in:)`` returned.
    package func storedKey(id: UnsafeRawBufferPointer) -> StoredKey {
        let uuid = isUUID ? UUIDValue(bytes: id) : nil
        return StoredKey(library: library, type: type, id: uuid.map { .uuid($0) } ?? .text(ByteString(id)))
    }
}

extension FlushBatch {
    /// Returns the key of a row in this flush.
    public func key(of row: FlushRow) -> StoredKey {
        bytes.withUnsafeBytes { row.storedKey(id: row.id(in: $0)) }
    }

    /// Returns a copy of a row's payload: the resource as compact JSON. Empty for `stamp` and `delete`.
    public func payload(of row: FlushRow) -> [UInt8] {
        bytes.withUnsafeBytes { Array(row.payload(in: $0)) }
    }

    /// Returns a copy of a row's record of when single fields were written. A journal stores it beside the payload
    /// without reading it. Empty for most rows, and for `delete`.
    public func fields(of row: FlushRow) -> [UInt8] {
        bytes.withUnsafeBytes { Array(row.fields(in: $0)) }
    }
}
