import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// Reads a layer's content from front to back, for ``LayerBodyCodec``. Declared counts are compared with the available
/// bytes before memory is allocated.
struct LayerBodyReader {
    let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func names() throws(PayloadError) -> [ByteString] {
        var names: [ByteString] = []
        for _ in 0..<(try count()) { names.append(ByteString(try run())) }
        return names
    }

    mutating func changes(library: LibraryIndex, types: [TypeIndex]) throws(PayloadError) -> [LayerChange] {
        let count = try count()
        var changes: [LayerChange] = []
        changes.reserveCapacity(count)
        for _ in 0..<count {
            guard let kind = LayerBodyCodec.Kind(rawValue: try byte()) else { throw .unknownFormat }
            let type = try number()
            guard type < types.count else { throw .lengthMismatch }
            let key = StoredKey(library: library, type: types[type], id: try id())
            switch kind {
            case .put: changes.append(.put(key, resource: try object(orEmpty: false)))
            case .patch:
                changes.append(.patch(key, fields: try object(orEmpty: true), unset: try names()))
            case .merge: changes.append(.merge(key, fields: try object(orEmpty: false)))
            case .removeField: changes.append(.removeField(key, ByteString(try run())))
            case .delete: changes.append(.delete(key))
            case .deleteAlong: changes.append(.delete(key, isAlong: true))
            }
        }
        return changes
    }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func byte() throws(PayloadError) -> UInt8 {
        guard offset < bytes.count else { throw .truncated }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Reads a little-endian integer of 8 bytes.
    mutating func fixed() throws(PayloadError) -> Int64 {
        let bytes = try run(count: 8)
        return Int64(littleEndian: bytes.loadUnaligned(as: Int64.self))
    }

    mutating func number() throws(PayloadError) -> Int {
        guard let number = PayloadCodec.readVarint(bytes, at: &offset) else { throw .truncated }
        return number
    }

    /// Reads the count of a list whose elements take at least one byte each.
    private mutating func count() throws(PayloadError) -> Int {
        let count = try number()
        guard count <= bytes.count - offset else { throw .lengthMismatch }
        return count
    }

    mutating func run() throws(PayloadError) -> UnsafeRawBufferPointer {
        try run(count: try number())
    }

    /// Reads a JSON object and checks it, because the code that folds it relies on its form.
    private mutating func object(orEmpty mayBeEmpty: Bool) throws(PayloadError) -> [UInt8] {
        let bytes = try run()
        if bytes.isEmpty, mayBeEmpty { return [] }
        guard CompactJSON.isObject(bytes) else { throw .notJSON }
        return Array(bytes)
    }

    private mutating func run(count: Int) throws(PayloadError) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - offset else { throw .truncated }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    private mutating func id() throws(PayloadError) -> StoredID {
        let length = try number()
        if length > 0 { return .text(ByteString(try run(count: length - 1))) }
        guard let value = UUIDValue(bytes: try run(count: 16)) else { throw .truncated }
        return .uuid(value)
    }
}
