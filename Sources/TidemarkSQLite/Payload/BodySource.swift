import TidemarkModel
import TidemarkStore

/// What the threads that encode a flush read of it.
///
/// Sendable by standing still: the writer makes it, makes every dictionary ready for compressing, and does not return
/// before the last thread that reads it has left; nothing of it changes meanwhile.
struct BodySource: @unchecked Sendable {
    /// The flush's own, borrowed: an array would be retained and released for each row, by all threads at one place.
    let rows: UnsafeBufferPointer<FlushRow>
    /// The flush's own.
    let bytes: UnsafeRawBufferPointer
    let dictionaries: [TypeIndex: PayloadDictionary]
    let yieldRowCount: Int

    /// - Parameters:
    ///   - rows: Of the flush.
    ///   - dictionaries: By type.
    /// - Complexity: O(rows).
    init(
        rows: UnsafeBufferPointer<FlushRow>, bytes: UnsafeRawBufferPointer,
        dictionaries: [TypeIndex: PayloadDictionary], yieldRowCount: Int
    ) {
        self.rows = rows
        self.bytes = bytes
        self.dictionaries = dictionaries
        self.yieldRowCount = yieldRowCount
        // The form for compressing is made at its first use, which may not be on two threads at once.
        var isReady = [Bool](repeating: false, count: Int(TypeIndex.max) + 1)
        for row in rows where !isReady[Int(row.type)] {
            isReady[Int(row.type)] = true
            _ = dictionaries[row.type]?.compressing()
        }
    }

    /// Where a chunk ends that begins at `start`: its payloads fit into an encoder's room, or it is one row.
    ///
    /// - Returns: The first row behind it, and whether it is one that needs more room than an encoder keeps.
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
