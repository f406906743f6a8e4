import TidemarkModel
import TidemarkStore

/// The parts of a flush that the encoding threads read.
///
/// Sendable because it does not change: the writer creates it, prepares every dictionary for compressing, and does not
/// return before the last reading thread has left.
struct BodySource: @unchecked Sendable {
    /// The flush's rows, borrowed. With an array, all threads would retain and release it for each row, at one memory
    /// location.
    let rows: UnsafeBufferPointer<FlushRow>
    /// The flush's own bytes.
    let bytes: UnsafeRawBufferPointer
    let dictionaries: [TypeIndex: PayloadDictionary]
    let yieldRowCount: Int

    /// - Parameters:
    ///   - rows: The rows of the flush.
    ///   - dictionaries: The dictionaries by type.
    /// - Complexity: O(rows).
    init(
        rows: UnsafeBufferPointer<FlushRow>, bytes: UnsafeRawBufferPointer,
        dictionaries: [TypeIndex: PayloadDictionary], compression: DataCompression, yieldRowCount: Int
    ) {
        self.rows = rows
        self.bytes = bytes
        self.dictionaries = dictionaries
        self.yieldRowCount = yieldRowCount
        // The compressing form of a dictionary is created at its first use, which must not happen on two threads at
        // once.
        var isReady = [Bool](repeating: false, count: Int(TypeIndex.RawValue.max) + 1)
        for row in rows where !isReady[Int(row.type)] {
            isReady[Int(row.type)] = true
            dictionaries[row.type]?.prepareForCompressing(by: compression)
        }
    }

    /// Finds the end of the chunk that begins at `start`: either all its payloads fit into an encoder's buffer, or it
    /// is one row.
    ///
    /// - Returns: The first row after the chunk, and true if the chunk is one row that needs more room than an encoder
    ///   keeps.
    /// - Complexity: O(``BodyClaims/rowCountMax``).
    func cut(from start: Int) -> (end: Int, isLarge: Bool) {
        let end = min(start + BodyClaims.rowCountMax, rows.count)
        var byteCount = 0
        for index in start..<end {
            let row = rows[index]
            guard row.change == .insert || row.change == .update else { continue }
            byteCount += PayloadEncoder.room(for: row.payloadCount + row.fieldsCount)
            guard byteCount > PayloadEncoder.blobByteCount else { continue }
            return index == start ? (index + 1, true) : (index, false)
        }
        return (end, false)
    }
}
