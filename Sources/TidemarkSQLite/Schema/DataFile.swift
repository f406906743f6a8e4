/// The constants that identify a SQLite file as a Tidemark data file.
///
/// - Source: docs/data-file.md.
enum DataFile {
    /// The application id `TIDE`, at offset 68 of the file.
    static let applicationID: Int32 = 0x5449_4445

    /// The newest format that this code reads. Stored at offset 60 (`user_version`).
    static let formatVersion: Int32 = 11

    /// The newest format of a file with entities in blocks and without the table `records`.
    static let blockFormatVersion: Int32 = 9

    /// The first format of a file with entities in blocks. It has no table `changes`.
    static let firstBlockFormatVersion: Int32 = 8

    /// The newest format of a file with entities in rows, as ``EntityLayout`` explains. New files get it by default.
    static let rowFormatVersion: Int32 = 7

    /// The format of a file with entities in rows and the table `records`.
    static let rowRecordFormatVersion: Int32 = 10

    /// The format of a file with entities in blocks and the table `records`.
    static let blockRecordFormatVersion: Int32 = 11

    /// Returns true if a file of a format has its entities in rows.
    static func isOfRows(_ version: Int32) -> Bool {
        version <= rowFormatVersion || version == rowRecordFormatVersion
    }

    /// Returns true if a file of a format has the table `records`.
    static func hasRecords(_ version: Int32) -> Bool { version >= rowRecordFormatVersion }

    /// Returns the format of a file of this format after it got the table `records`.
    static func withRecords(_ version: Int32) -> Int32 {
        isOfRows(version) ? rowRecordFormatVersion : blockRecordFormatVersion
    }

    /// The size of a page in bytes. Measured against 4 and 16 KiB: see docs/data-file.md.
    static let pageByteCount = 8192

    /// The number of pages in the write-ahead log after which it is copied back: 128 MiB.
    static let checkpointPageCount = 16384

    /// The size of the writer's page cache in KiB: 64 MiB.
    static let cacheKibibyteCount = 65536

    /// The size of the writer's page cache in KiB for a file of blocks: 8 MiB.
    static let blockCacheKibibyteCount = 8192
}
