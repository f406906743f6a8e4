import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// Encodes and decodes the body of a row of the table `layers` for a renamed temporary id.
///
/// ```
/// header     1  bits 7–4 format (3), 0 a newer entity has the temporary id
/// type       v  length, and the name of the type; empty: unknown
/// id         v  length, and the real id as JSON: a string or an integer
/// ```
/// The row's checksum covers all of it. Decoding is bounded nevertheless, because a file can be forged.
///
/// - Source: docs/data-file.md.
enum RenamingCodec {
    private static let header: UInt8 = 3 << 4
    private static let endedFlag: UInt8 = 1

    static func encode(_ record: RenamingRecord, types: [ByteString]) -> [UInt8] {
        var bytes = [record.isEnded ? header | endedFlag : header]
        LayerBodyCodec.append(record.type.map { types[Int($0)].bytes } ?? [], to: &bytes)
        LayerBodyCodec.append(record.json, to: &bytes)
        return bytes
    }

    /// Decodes a renaming.
    ///
    /// - Throws: ``PayloadError``; `.unnamed` for a type without a number, `.notJSON` for a real id that is not an id.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, number: Int64, library: LibraryIndex, temporary: ByteString,
        _ names: inout LayerNames
    ) throws(PayloadError) -> RenamingRecord {
        var reader = LayerBodyReader(bytes: bytes)
        let header = try reader.byte()
        guard header & ~endedFlag == RenamingCodec.header else { throw .unknownFormat }
        let name = ByteString(try reader.run())
        let json = Array(try reader.run())
        guard reader.isAtEnd else { throw .lengthMismatch }
        var type: TypeIndex?
        if !name.bytes.isEmpty {
            guard let index = names.index(ofType: name) else { throw .unnamed }
            type = index
        }
        let isInteger = json.withUnsafeBytes { CompactJSON.isInteger($0) }
        guard isInteger || CompactJSON.isValue(json), let real = isInteger ? json : JSONSlice(compact: json[...]).text,
            !real.isEmpty
        else { throw .notJSON }
        return RenamingRecord(
            number: number, library: library, type: type, temporary: temporary,
            real: EntityKey.canonicalID(ByteString(real)), json: json, isEnded: header & endedFlag != 0)
    }
}
