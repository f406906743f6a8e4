import TidemarkModel
import TidemarkStore

/// Encodes and decodes a layer's dependencies and changes, as its row stores them.
///
/// ```
/// header     1  bits 7–4 format (1)
/// length     v  bytes of the content
/// content       as blocks of ``BlockCompressor``
///
/// count      v  pending ids that it depends on, each: v length, and the text
/// types      v  names of types, each: v length, and the text
/// count      v  changes, each:
///   kind     1  0 put, 1 patch, 2 remove_field, 3 delete, 4 delete along with another entity
///   type     v  its place among the names
///   id          0 and the 16 bytes of a UUID, or v with the length of a text and 1 more, and the text
///   rest        put: v length, the resource · patch: v length, the fields; v count, each name as a pending id ·
///               remove_field: the name as a pending id
/// ```
/// Types are named, not numbered, because a layer must be readable from a file in which nothing else is. The row's
/// checksum covers all of it. Decoding is bounded all the same, because a file can be forged.
///
/// - Source: docs/data-file.md.
package enum LayerBodyCodec {
    /// The maximum size of a layer's content: 256 MiB. Twice ``Limits/layerByteCountCeiling``, with the names of all
    /// types, is below it.
    static let contentByteCountMax = 256 << 20

    private static let formatVersion: UInt8 = 1

    /// - Parameter types: The names of types by index; the types of all changes are among them.
    /// - Complexity: O(bytes).
    package static func encode(_ record: LayerRecord, types: [ByteString], _ compressor: BlockCompressor) -> [UInt8] {
        let content = content(record, types: types)
        // No input reaches it: all layers together, with their ids, are bounded before one is created or gets a
        // real id.
        precondition(
            content.count <= contentByteCountMax,
            "a layer has at most \(contentByteCountMax) bytes, not \(content.count)")
        var bytes = [formatVersion << 4]
        PayloadCodec.append(content.count, to: &bytes)
        compressor.append(content, to: &bytes)
        return bytes
    }

    /// - Parameters:
    ///   - bytes: Any bytes.
    ///   - library: The layer's library.
    ///   - names: Returns the numbers of types.
    /// - Throws: ``PayloadFault``; `.unnamed` for a type without a number, `.notJSON` for a resource that is no object.
    /// - Complexity: O(bytes).
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, library: LibraryIndex, _ names: inout LayerNames
    ) throws(PayloadFault) -> (dependsOn: [ByteString], changes: [LayerChange]) {
        guard let header = bytes.first else { throw .truncated }
        guard header == formatVersion << 4 else { throw .unknownFormat }
        var offset = 1
        guard let count = PayloadCodec.readVarint(bytes, at: &offset) else { throw .truncated }
        guard count <= contentByteCountMax else { throw .tooLarge }
        let content = try BlockCompressor.content(bytes, at: &offset, count: count)
        var result: Result<(dependsOn: [ByteString], changes: [LayerChange]), PayloadFault> = .failure(.truncated)
        content.withUnsafeBytes { content in
            do throws(PayloadFault) {
                var reader = ContentReader(bytes: content)
                let dependsOn = try reader.names()
                var types: [TypeIndex] = []
                for name in try reader.names() {
                    guard let type = names.index(ofType: name) else { throw .unnamed }
                    types.append(type)
                }
                result = .success((dependsOn, try reader.changes(library: library, types: types)))
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }

    // MARK: Writing

    private enum Kind: UInt8 {
        case put = 0
        case patch = 1
        case removeField = 2
        case delete = 3
        case deleteAlong = 4
        case merge = 5
    }

    private static func content(_ record: LayerRecord, types: [ByteString]) -> [UInt8] {
        var bytes: [UInt8] = []
        append(record.dependsOn, to: &bytes)
        var places: [TypeIndex: Int] = [:]
        var named: [ByteString] = []
        for change in record.changes where places[change.key.type] == nil {
            places[change.key.type] = named.count
            named.append(types[Int(change.key.type)])
        }
        append(named, to: &bytes)
        PayloadCodec.append(record.changes.count, to: &bytes)
        for change in record.changes {
            let key = change.key
            // No input reaches it: every change of a layer is created, and read back, with the layer's own
            // library.
            precondition(
                key.library == record.library, "a change of library \(key.library) in a layer of \(record.library)")
            append(kind(of: change), key.id, type: places[key.type] ?? 0, to: &bytes)
            switch change {
            case .put(_, let resource): append(resource, to: &bytes)
            case .patch(_, let fields, let unset):
                append(fields, to: &bytes)
                append(unset, to: &bytes)
            case .merge(_, let fields): append(fields, to: &bytes)
            case .removeField(_, let field): append(field.bytes, to: &bytes)
            case .delete: continue
            }
        }
        return bytes
    }

    private static func kind(of change: LayerChange) -> Kind {
        switch change {
        case .put: .put
        case .patch: .patch
        case .merge: .merge
        case .removeField: .removeField
        case .delete(_, let isAlong): isAlong ? .deleteAlong : .delete
        }
    }

    private static func append(_ kind: Kind, _ id: StoredID, type: Int, to bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        PayloadCodec.append(type, to: &bytes)
        switch id {
        case .uuid(let value):
            bytes.append(0)
            bytes += value.bytes
        case .text(let text):
            PayloadCodec.append(text.bytes.count + 1, to: &bytes)
            bytes += text.bytes
        }
    }

    private static func append(_ names: [ByteString], to bytes: inout [UInt8]) {
        PayloadCodec.append(names.count, to: &bytes)
        for name in names { append(name.bytes, to: &bytes) }
    }

    private static func append(_ run: [UInt8], to bytes: inout [UInt8]) {
        PayloadCodec.append(run.count, to: &bytes)
        bytes += run
    }

    // MARK: Reading

    /// Reads the content from the front. Declared counts are compared with the available bytes before memory is
    /// allocated.
    private struct ContentReader {
        let bytes: UnsafeRawBufferPointer
        private var offset = 0

        init(bytes: UnsafeRawBufferPointer) {
            self.bytes = bytes
        }

        mutating func names() throws(PayloadFault) -> [ByteString] {
            var names: [ByteString] = []
            for _ in 0..<(try count()) { names.append(ByteString(try run())) }
            return names
        }

        mutating func changes(library: LibraryIndex, types: [TypeIndex]) throws(PayloadFault) -> [LayerChange] {
            let count = try count()
            var changes: [LayerChange] = []
            changes.reserveCapacity(count)
            for _ in 0..<count {
                guard let kind = Kind(rawValue: try byte()) else { throw .unknownFormat }
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
            guard offset == bytes.count else { throw .lengthMismatch }
            return changes
        }

        private mutating func byte() throws(PayloadFault) -> UInt8 {
            guard offset < bytes.count else { throw .truncated }
            defer { offset += 1 }
            return bytes[offset]
        }

        private mutating func number() throws(PayloadFault) -> Int {
            guard let number = PayloadCodec.readVarint(bytes, at: &offset) else { throw .truncated }
            return number
        }

        /// Reads the count of a list whose elements take at least one byte each.
        private mutating func count() throws(PayloadFault) -> Int {
            let count = try number()
            guard count <= bytes.count - offset else { throw .lengthMismatch }
            return count
        }

        private mutating func run() throws(PayloadFault) -> UnsafeRawBufferPointer {
            try run(count: try number())
        }

        /// Reads a JSON object and checks it, because the code that folds it relies on its form.
        private mutating func object(orEmpty mayBeEmpty: Bool) throws(PayloadFault) -> [UInt8] {
            let bytes = try run()
            if bytes.isEmpty, mayBeEmpty { return [] }
            guard CompactJSON.isObject(bytes) else { throw .notJSON }
            return Array(bytes)
        }

        private mutating func run(count: Int) throws(PayloadFault) -> UnsafeRawBufferPointer {
            guard count <= bytes.count - offset else { throw .truncated }
            defer { offset += count }
            return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
        }

        private mutating func id() throws(PayloadFault) -> StoredID {
            let length = try number()
            if length > 0 { return .text(ByteString(try run(count: length - 1))) }
            guard let value = UUIDValue(bytes: try run(count: 16)) else { throw .truncated }
            return .uuid(value)
        }
    }
}
