import Foundation
import Tidemark

/// The meaning of the first 100 bytes of a file. They are read without SQLite: nothing is locked, rolled back or
/// created.
///
/// - Source: sqlite.org, database file format, section 1.3.
enum FileHeader: Equatable {
    case missing
    /// The file exists and has no bytes.
    case empty
    /// The file has no Tidemark mark and is no SQLite database: it belongs to somebody else, or is the rest of a
    /// damaged Tidemark file.
    case unmarked
    /// The file has the Tidemark mark, but is not a SQLite database that can be written.
    case garbage
    case foreign(applicationID: Int32)
    case newer(version: Int32)
    case ours(version: Int32)

    private static let byteCount = 100
    private static let magic = Array("SQLite format 3\0".utf8)

    /// Reads the header. A file that this process has open is not read, because closing it would release SQLite's locks
    /// on it.
    ///
    /// - Throws: ``Tidemark/StorageError`` `.inputOutput` when the file exists and cannot be read.
    static func read(_ path: String) throws(StorageError) -> FileHeader {
        if FilesInUse.contains(path) { return .ours(version: DataFile.formatVersion) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return .missing }
            throw StorageError(
                .inputOutput, "cannot read \(path)", cause: String(cString: strerror(errno)),
                advice: "check the file's permissions")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let count = pread(descriptor, &bytes, byteCount, 0)
        guard count >= 0 else {
            throw StorageError(
                .inputOutput, "cannot read \(path)", cause: String(cString: strerror(errno)),
                advice: "check that it is a file")
        }
        if count == 0 { return .empty }
        guard count == byteCount, Array(bytes[..<magic.count]) == magic else {
            let isMarked = count >= 72 && integer(bytes, at: 68) == DataFile.applicationID
            return isMarked ? .garbage : .unmarked
        }
        let applicationID = integer(bytes, at: 68)
        let version = integer(bytes, at: 60)
        guard applicationID == DataFile.applicationID else { return .foreign(applicationID: applicationID) }
        // The two bytes are the write and the read version: 1, or 2 with a write-ahead log. SQLite would open a file
        // with other values read-only, or not at all.
        guard bytes[18...19].allSatisfy({ 1...2 ~= $0 }) else { return .garbage }
        return FileHeader(version: version)
    }

    /// Classifies a file that has the Tidemark mark by the number of its format.
    init(version: Int32) {
        if version > DataFile.formatVersion {
            self = .newer(version: version)
        } else {
            self = version < 1 ? .garbage : .ours(version: version)
        }
    }

    /// - Parameter isKnown: Whether a file beside it shows that it was a Tidemark file; see ``FileTraces``.
    /// - Returns: The error for a file that Tidemark must not change; nil for other files.
    func refusal(path: String, isKnown: Bool = true) -> StorageError? {
        switch self {
        case .missing, .empty, .garbage, .ours: nil
        case .unmarked:
            isKnown
                ? nil
                : StorageError(
                    .notOurs, "\(path) is not a database; it was not changed", advice: "pass another file name")
        case .foreign:
            StorageError(
                .notOurs, "\(path) is a SQLite database of another program; it was not changed",
                advice: "pass another file name")
        case .newer(let version):
            StorageError(
                .newerFormat,
                "\(path) has format \(version), this program reads up to \(DataFile.formatVersion); it was not changed",
                advice: "use a newer tidemark, or pass another file name")
        }
    }

    private static func integer(_ bytes: [UInt8], at offset: Int) -> Int32 {
        Int32(bitPattern: bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
}
