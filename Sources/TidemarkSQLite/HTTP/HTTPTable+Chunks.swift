import Tidemark
import TidemarkHTTPRecords
import TidemarkModel
import TidemarkStore

/// The bodies of stored HTTP responses: chunks of 1 MiB, each with a checksum of its own.
extension HTTPTable {
    /// Writes the chunks of a body.
    ///
    /// - Returns: The number of chunks, and their stored size in bytes.
    func writeBody(_ body: [UInt8], of number: Int64) throws -> (count: Int64, byteCount: Int64) {
        var place: Int64 = 0
        var byteCount: Int64 = 0
        for start in stride(from: 0, to: body.count, by: HTTPTable.chunkByteCount) {
            let chunk = Array(body[start..<min(start + HTTPTable.chunkByteCount, body.count)])
            byteCount += try writeChunk(chunk, number, place)
            place += 1
        }
        return (place, byteCount)
    }

    /// Writes one chunk of a body, and returns its stored size in bytes.
    func writeChunk(_ chunk: [UInt8], _ number: Int64, _ place: Int64) throws -> Int64 {
        var bytes: [UInt8] = []
        compressor.append(chunk, to: &bytes)
        let place = number * HTTPTable.chunkCountMax + place
        putChunk.bind(1, place)
        putChunk.bind(2, Int64(chunk.count))
        putChunk.bind(4, HTTPTable.checksum(bytes, place: place))
        try bytes.withUnsafeBytes { bytes in
            putChunk.bindBorrowed(3, blob: bytes)
            try putChunk.run()
        }
        return Int64(bytes.count)
    }

    /// Returns true if the chunks of a draft are stored, in the number and size that it records.
    func holds(_ draft: HTTPBodyDraft) throws -> Bool {
        bindPlaces(chunkTotals, draft.number)
        defer { chunkTotals.reset() }
        guard try chunkTotals.step() else { return false }
        return chunkTotals.integer(0) == draft.chunkCount && chunkTotals.integer(1) == draft.byteCount
            && chunkTotals.integer(2) == draft.storedByteCount
    }

    func bindPlaces(_ statement: PreparedStatement, _ number: Int64) {
        statement.bind(1, number * HTTPTable.chunkCountMax)
        statement.bind(2, (number + 1) * HTTPTable.chunkCountMax)
    }

    func removeChunks(_ number: Int64) throws {
        bindPlaces(removeChunkRows, number)
        try removeChunkRows.run()
    }

    /// Removes the chunks that no response refers to.
    ///
    /// - Complexity: O(chunks).
    func removeOrphans() throws {
        for number in try orphanNumbers() { try removeChunks(number) }
    }

    /// Returns the numbers of bodies that no response refers to.
    ///
    /// - Complexity: O(chunks).
    func orphanNumbers() throws -> [Int64] {
        var numbers: [Int64] = []
        try orphans.forEachRow { numbers.append($0.integer(0)) }
        return numbers
    }

    /// Reads a body, or some of its bytes.
    ///
    /// - Parameter bounds: A range within the body, of which only the chunks are read; nil for all of it.
    /// - Returns: nil when a chunk is missing or fails its check.
    func body(_ row: Row, _ bounds: Range<Int64>? = nil) throws -> [UInt8]? {
        let size = Int64(HTTPTable.chunkByteCount)
        let wanted = bounds ?? 0..<row.record.byteCount
        guard HTTPTable.hasPlausibleCount(row), wanted.lowerBound >= 0, wanted.upperBound <= row.record.byteCount else {
            return nil
        }
        guard !wanted.isEmpty else { return [] }
        let places = (wanted.lowerBound / size)...((wanted.upperBound - 1) / size)
        var body: [UInt8] = []
        for place in places {
            guard let chunk = try self.chunk(row.record.number, place),
                chunk.count == min(size, row.record.byteCount - place * size)
            else { return nil }
            if body.isEmpty { body = chunk } else { body += chunk }
        }
        let start = Int(wanted.lowerBound - places.lowerBound * size)
        return start == 0 && body.count == wanted.count ? body : Array(body[start..<(start + wanted.count)])
    }

    /// Returns true if the number of chunks fits the size of the body: every chunk but the last is full.
    private static func hasPlausibleCount(_ row: Row) -> Bool {
        let size = Int64(chunkByteCount)
        return row.chunkCount == (row.record.byteCount + size - 1) / size
    }

    /// Reads one chunk of a body; nil when it is missing or fails its check.
    func chunk(_ number: Int64, _ place: Int64) throws -> [UInt8]? {
        try withChunk(number, place) { bytes, size in
            var offset = 0
            do throws(PayloadError) {
                return try BlockCompressor.content(bytes, at: &offset, count: size)
            } catch {
                return nil
            }
        }
    }

    /// Checks all chunks of a body without unpacking them.
    func isSound(_ row: Row) throws -> Bool {
        guard HTTPTable.hasPlausibleCount(row) else { return false }
        let size = Int64(HTTPTable.chunkByteCount)
        for place in 0..<row.chunkCount {
            let found = try withChunk(row.record.number, place) { $1 }
            guard let found, Int64(found) == min(size, row.record.byteCount - place * size) else { return false }
        }
        return true
    }

    /// Calls a closure with the packed bytes of a chunk that passes its check, and its unpacked size.
    private func withChunk<Result>(
        _ number: Int64, _ place: Int64, _ body: (UnsafeRawBufferPointer, Int) -> Result?
    ) throws -> Result? {
        let place = number * HTTPTable.chunkCountMax + place
        chunks.bind(1, place)
        chunks.bind(2, place + 1)
        defer { chunks.reset() }
        guard try chunks.step() else { return nil }
        let bytes = chunks.borrowedBytes(2)
        let size = chunks.integer(1)
        guard chunks.integer(0) == place, 0...Int64(HTTPTable.chunkByteCount) ~= size,
            HTTPTable.checksum(bytes, place: place) == chunks.integer(3)
        else { return nil }
        return body(bytes, Int(size))
    }

    private static func checksum(_ bytes: [UInt8], place: Int64) -> Int64 {
        bytes.withUnsafeBytes { checksum($0, place: place) }
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, place: Int64) -> Int64 {
        Int64(bitPattern: Checksum.xxh64(bytes, seed: UInt64(bitPattern: place)))
    }
}
