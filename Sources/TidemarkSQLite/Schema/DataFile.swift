/// The numbers that make a SQLite file one of ours.
///
/// - Source: docs/data-file.md.
enum DataFile {
    /// `TIDE`, at offset 68 of the file.
    static let applicationID: Int32 = 0x5449_4445

    /// The newest format this code reads, and the one it writes, at offset 60 of the file (`user_version`).
    static let formatVersion: Int32 = 5

    /// Bytes a page. Measured against 4 and 16 KiB: see docs/data-file.md.
    static let pageByteCount = 8192

    /// Pages in the write-ahead log before it is copied back: 128 MiB.
    static let checkpointPageCount = 16384

    /// The page cache of the writer, in KiB: 64 MiB.
    static let cacheKibibyteCount = 65536
}
