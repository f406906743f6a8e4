import TidemarkModel
import TidemarkStore

/// Encodes and decodes a layer's dependencies and changes, as its row stores them.
///
/// ```
/// header     1  bits 7–4 format (1; 2 with a request)
/// length     v  bytes of the content
/// content       as blocks of ``BlockCompressor``
///
/// count      v  pending ids that it depends on, each: v length, and the text
/// types      v  names of types, each: v length, and the text
/// count      v  changes, each:
///   kind     1  0 put, 1 patch, 2 remove_field, 3 delete, 4 delete along with another entity, 5 merge
///   type     v  its index among the names
///   id          0 and the 16 bytes of a UUID, or v with the length of a text plus 1, and the text
///   rest        put: v length, the resource · patch: v length, the fields; v count, each name as a pending id ·
///               remove_field: the name as a pending id · merge: v length, the fields
/// request       format 2: see ``LayerRequestCodec``
/// ```
/// Types are named, not numbered, because a layer must be readable even if nothing else in the file is. The row's
/// checksum covers all of it. Decoding is bounded nevertheless, because a file can be forged.
///
/// - Source: docs/data-file.md.
package enum LayerBodyCodec {
    /// The most bytes of a layer's content: 256 MiB, more than twice ``Limits/layerByteCountCeiling`` with the names of
    /// all types.
    static let contentByteCountMax = 256 << 20

    private static let formatVersion: UInt8 = 1
    private static let requestFormatVersion: UInt8 = 2

    /// The content of a layer's body.
    package struct Body: Hashable, Sendable {
        /// The pending ids of the layers that this one depends on.
        package var dependsOn: [ByteString]
        /// The changes of entities, in order.
        package var changes: [LayerChange]
        /// The request and its progress; nil when the layer has no request.
        package var sending: LayerSending?
    }

    /// Encodes the body of a layer.
    ///
    /// - Parameter types: The names of types by index, including those of all changes.
    /// - Complexity: O(bytes).
    package static func encode(_ record: LayerRecord, types: [ByteString], _ compressor: BlockCompressor) -> [UInt8] {
        let content = content(record, types: types)
        // No input reaches it: all layers together, with their ids, are bounded before one is created or gets a
        // real id.
        precondition(
            content.count <= contentByteCountMax,
            "a layer has at most \(contentByteCountMax) bytes, not \(content.count)")
        var bytes = [(record.sending == nil ? formatVersion : requestFormatVersion) << 4]
        PayloadCodec.append(content.count, to: &bytes)
        compressor.append(content, to: &bytes)
        return bytes
    }

    /// Decodes the body of a layer.
    ///
    /// - Parameters:
    ///   - bytes: Any bytes.
    ///   - library: The layer's library.
    ///   - names: The numbers of types.
    /// - Throws: ``PayloadError``; `.unnamed` for a type without a number, `.notJSON` for a resource that is no object.
    /// - Complexity: O(bytes).
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, library: LibraryIndex, _ names: inout LayerNames
    ) throws(PayloadError) -> Body {
        guard let header = bytes.first else { throw .truncated }
        let hasRequest = header == requestFormatVersion << 4
        guard hasRequest || header == formatVersion << 4 else { throw .unknownFormat }
        var offset = 1
        guard let count = PayloadCodec.readVarint(bytes, at: &offset) else { throw .truncated }
        guard count <= contentByteCountMax else { throw .tooLarge }
        let content = try BlockCompressor.content(bytes, at: &offset, count: count)
        var result: Result<Body, PayloadError> = .failure(.truncated)
        content.withUnsafeBytes { content in
            do throws(PayloadError) {
                var reader = LayerBodyReader(bytes: content)
                let dependsOn = try reader.names()
                var types: [TypeIndex] = []
                for name in try reader.names() {
                    guard let type = names.index(ofType: name) else { throw .unnamed }
                    types.append(type)
                }
                let changes = try reader.changes(library: library, types: types)
                let sending = hasRequest ? try reader.sending() : nil
                guard reader.isAtEnd else { throw .lengthMismatch }
                result = .success(Body(dependsOn: dependsOn, changes: changes, sending: sending))
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }

    // MARK: Writing

    /// The kind of a change, as its byte stores it.
    enum Kind: UInt8 {
        /// Replaces the entity, or creates it.
        case put = 0
        /// Sets some top-level fields, and removes others.
        case patch = 1
        /// Removes one field.
        case removeField = 2
        /// Deletes the entity.
        case delete = 3
        /// Deletes the entity because the policy cascades another delete of the layer.
        case deleteAlong = 4
        /// Merges fields into the entity by path.
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
        if let sending = record.sending { append(sending, to: &bytes) }
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

    static func append(_ names: [ByteString], to bytes: inout [UInt8]) {
        PayloadCodec.append(names.count, to: &bytes)
        for name in names { append(name.bytes, to: &bytes) }
    }

    static func append(_ run: [UInt8], to bytes: inout [UInt8]) {
        PayloadCodec.append(run.count, to: &bytes)
        bytes += run
    }
}
