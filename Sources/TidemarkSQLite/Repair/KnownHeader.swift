import Foundation

/// Creates the header that a Tidemark file must have, for reading a file whose own first bytes are damaged.
///
/// It is good only for reading rows. Lists that only a writer needs, of free pages and of their owners, are empty in
/// it.
///
/// - Source: sqlite.org, database file format, section 1.3.
enum KnownHeader {
    static let byteCount = 100
    private static let magic = Array("SQLite format 3\0".utf8)
    /// Byte 20, the number of unused bytes at the end of each page: none, or twelve if Apple's SQLite created the file.
    private static let reservedByteCounts: Set<UInt8> = [0, 12]
    /// Bytes 21 to 23, for which SQLite writes no other values.
    private static let fractions: [UInt8] = [64, 32, 32]
    /// Byte 59: UTF-8.
    private static let encoding: UInt8 = 1
    /// Byte 47, the schema format: SQLite refuses later ones.
    private static let schemaFormats: ClosedRange<UInt8> = 1...4

    /// Returns true if the bytes that are equal in every Tidemark file are intact, so that SQLite can read the file by
    /// them. The mark, the format and the positions of pages are not among them.
    ///
    /// - Parameter bytes: The first 100 bytes.
    static func isUsable(_ bytes: [UInt8]) -> Bool {
        bytes.count == byteCount && Array(bytes[..<16]) == magic && pageByteCount(bytes) != nil
            // The write and the read version: 1, or 2 with a write-ahead log. SQLite would open a file with other
            // values read-only, or not at all.
            && bytes[18...19].allSatisfy { 1...2 ~= $0 } && reservedByteCounts.contains(bytes[20])
            && Array(bytes[21...23]) == fractions
            && bytes[44...46].allSatisfy { $0 == 0 } && schemaFormats ~= bytes[47]
            && bytes[56...58].allSatisfy { $0 == 0 } && bytes[59] == encoding
    }

    /// Returns the header for a file.
    ///
    /// - Parameters:
    ///   - path: The path of a file with any first bytes.
    ///   - hasLog: True if its write-ahead log is read, too.
    ///   - version: Its format.
    /// - Returns: nil when the file cannot be read.
    static func make(for path: String, hasLog: Bool, version: Int32) -> [UInt8]? {
        guard let found = FileHeader.bytes(of: path), let fileByteCount = DataFilePath.byteCount(path) else {
            return nil
        }
        // One flipped bit never turns one page size into another: a size that is valid is the file's.
        let pageByteCount = pageByteCount(found) ?? DataFile.pageByteCount
        var bytes = magic
        bytes += big(UInt16(truncatingIfNeeded: pageByteCount == 65_536 ? 1 : pageByteCount))
        // One flipped bit turns neither of the usual counts of unused bytes into the other.
        let reservedByteCount = found.count > 20 && reservedByteCounts.contains(found[20]) ? found[20] : 0
        bytes += [hasLog ? 2 : 1, hasLog ? 2 : 1, reservedByteCount] + fractions
        // The number of changes, which the number at 92 must equal so that SQLite trusts the number of pages.
        bytes += big(UInt32(1))
        bytes += big(UInt32(clamping: fileByteCount / Int64(pageByteCount)))
        // No free pages; the schema's number; its form; the size of a cache; no map of owners; the encoding.
        for number in [0, 0, 1, UInt32(schemaFormats.upperBound), 0, 0, UInt32(encoding)] { bytes += big(number) }
        bytes += big(UInt32(bitPattern: version)) + big(UInt32(0)) + big(UInt32(bitPattern: DataFile.applicationID))
        bytes += [UInt8](repeating: 0, count: 20) + big(UInt32(1)) + big(sqliteVersion)
        return bytes
    }

    /// The version of SQLite that a header names as its writer; readers ignore it.
    private static let sqliteVersion: UInt32 = 3_040_000

    private static func pageByteCount(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 18 else { return nil }
        let stored = Int(bytes[16]) << 8 | Int(bytes[17])
        let count = stored == 1 ? 65_536 : stored
        return (512...65_536).contains(count) && count & (count - 1) == 0 ? count : nil
    }

    private static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
