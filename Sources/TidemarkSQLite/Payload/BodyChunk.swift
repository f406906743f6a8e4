import TidemarkModel
import TidemarkStore

/// The encoded bodies of consecutive rows of a flush.
///
/// Owner: the thread that claimed the chunk, until it is filled; then the writer, until the chunk is returned.
final class BodyChunk {
    private let encoder: PayloadEncoder
    /// The range of the flush's rows that are in the chunk.
    private(set) var rows = 0..<0
    /// The encoded body of each row in `rows`; empty for a row that needs none. Valid until the chunk is returned.
    private(set) var bodies: [UnsafeRawBufferPointer] = []

    /// - Throws: ``SQLiteError`` when there is no memory for a compressor.
    init(_ compression: DataCompression) throws {
        encoder = try PayloadEncoder(compression)
    }

    /// Encodes rows, which replace the earlier contents of the chunk.
    ///
    /// - Parameter rows: A range from ``BodyClaims``: either all rows fit into the encoder's buffer, or it is one row.
    /// - Complexity: O(bytes of the rows).
    func fill(_ rows: Range<Int>, of source: BodySource) {
        encoder.startBatch()
        bodies.removeAll(keepingCapacity: true)
        var lastType: TypeIndex?
        var dictionary: PayloadDictionary?
        for index in rows {
            if index % source.yieldRowCount == 0 { Processor.yield() }
            let row = source.rows[index]
            guard row.change == .insert || row.change == .update else {
                bodies.append(UnsafeRawBufferPointer(start: nil, count: 0))
                continue
            }
            if row.type != lastType {
                lastType = row.type
                dictionary = source.dictionaries[row.type]
            }
            bodies.append(
                encoder.encode(
                    row.payload(in: source.bytes), id: row.id(in: source.bytes), seal: PayloadSeal(row),
                    fields: row.fields(in: source.bytes), isReduced: row.isReduced,
                    dictionary: dictionary, isPadded: row.change == .insert))
        }
        self.rows = rows
    }

    /// Drops the bodies, and frees the memory that a large payload took.
    func empty() {
        rows = 0..<0
        bodies.removeAll(keepingCapacity: true)
        encoder.releaseLargeBuffers()
    }
}
