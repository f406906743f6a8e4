import Foundation
import Tidemark

/// What the first 100 bytes of a file say, read without SQLite: nothing is locked, rolled back or made.
///
/// - Source: sqlite.org, database file format, section 1.3.
enum FileHeader: Equatable {
    case missing
    /// There, but without a byte.
    case empty
    /// Not a SQLite database, or shorter than a header, or one that SQLite would not let be written.
    case garbage
    case foreign(applicationID: Int32)
    case newer(version: Int32)
    case ours(version: Int32)

    private static let byteCount = 100
    private static let magic = Array("SQLite format 3\0".utf8)

    /// - Throws: ``Tidemark/StorageError`` `.inputOutput` when the file is there and cannot be read.
    static func read(_ path: String) throws(StorageError) -> FileHeader {
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
        guard count == byteCount, Array(bytes[..<magic.count]) == magic else { return .garbage }
        let applicationID = integer(bytes, at: 68)
        let version = integer(bytes, at: 60)
        guard applicationID == DataFile.applicationID else { return .foreign(applicationID: applicationID) }
        // How the file may be written, and read: 1, or 2 with a log. Others SQLite would open for reading only, or not at all.
        guard bytes[18...19].allSatisfy({ 1...2 ~= $0 }) else { return .garbage }
        return FileHeader(version: version)
    }

    /// What a format's number says in a file that has our mark.
    init(version: Int32) {
        if version > DataFile.formatVersion {
            self = .newer(version: version)
        } else {
            self = version < 1 ? .garbage : .ours(version: version)
        }
    }

    /// - Returns: The error for a file that nobody of ours may touch; nil for the others.
    func refusal(path: String) -> StorageError? {
        switch self {
        case .missing, .empty, .garbage, .ours: nil
        case .foreign:
            StorageError(
                .notOurs, "\(path) is a SQLite database of another program; it was left as it is",
                advice: "give another file name")
        case .newer(let version):
            StorageError(
                .newerFormat,
                "\(path) has format \(version), this program reads up to \(DataFile.formatVersion); it was left as it is",
                advice: "use a newer tidemark, or give another file name")
        }
    }

    private static func integer(_ bytes: [UInt8], at offset: Int) -> Int32 {
        Int32(bitPattern: bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
}
