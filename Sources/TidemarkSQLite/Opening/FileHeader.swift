import Foundation
import Tidemark

/// What the first 100 bytes of a file show. They are read without SQLite: nothing is locked, rolled back or created.
///
/// - Source: sqlite.org, database file format, section 1.3.
enum FileHeader: Equatable {
    /// There is no file.
    case missing
    /// The file exists and has no bytes.
    case empty
    /// The file has no Tidemark mark and is no SQLite database: it belongs to another program, or is the rest of a
    /// damaged Tidemark file.
    case unmarked
    /// The file has the Tidemark mark, but is not a SQLite database that can be written.
    case garbage
    /// The file is encrypted, and this process has no key for it.
    case sealed
    /// The file is a SQLite database without the Tidemark mark, as that of another program.
    case foreign(applicationID: Int32)
    /// The file has a newer format than this code reads.
    case newer(version: Int32)
    /// The file has data that is compressed by a method that this build does not have.
    case compressed(by: DataCompression)
    /// The file has a format that this code reads or upgrades.
    case ours(version: Int32)

    /// The highest format that a newer program may plausibly have; a higher number counts as damage.
    private static let plausibleVersionMax: Int32 = 65_535

    /// Reads the header. A file that this process has open is not read, because closing it would release SQLite's locks
    /// on it; it counts as ours.
    ///
    /// - Throws: ``/Tidemark/StorageError`` `.inputOutput` when the file exists and cannot be read, `.protected` when
    ///   the system refuses access to it.
    static func read(_ path: String) throws(StorageError) -> FileHeader {
        if FilesInUse.contains(path) { return .ours(version: DataFile.formatVersion) }
        if let owner = SealedFiles.owner(of: path) { return try read(path, owner) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return .missing }
            if errno == EPERM { throw SQLiteError.protected(path, cause: String(cString: strerror(errno))) }
            throw StorageError(
                .inputOutput, "cannot read \(path)", cause: String(cString: strerror(errno)),
                advice: "check the file's permissions")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: KnownHeader.byteCount)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else {
            if errno == EPERM { throw SQLiteError.protected(path, cause: String(cString: strerror(errno))) }
            throw StorageError(
                .inputOutput, "cannot read \(path)", cause: String(cString: strerror(errno)),
                advice: "check that it is a file")
        }
        if count == 0 { return .empty }
        return FileHeader(bytes, count) { isSealed(descriptor, bytes) }
    }

    /// Classifies a file by its first 100 bytes, or as many as it has.
    ///
    /// - Parameter isSealed: Returns true if a file that looks like none of SQLite's is encrypted.
    private init(_ bytes: [UInt8], _ count: Int, isSealed: () -> Bool) {
        let isDatabase = count == bytes.count && Array(bytes[..<FileHeader.magic.count]) == FileHeader.magic
        let applicationID = FileHeader.integer(bytes, at: 68)
        if applicationID == DataFile.applicationID {
            let isUsable = KnownHeader.isUsable(Array(bytes[..<count]))
            self = isUsable ? FileHeader(version: FileHeader.integer(bytes, at: 60)) : .garbage
        } else if isDatabase {
            self = .foreign(applicationID: applicationID)
        } else {
            self = isSealed() ? .sealed : .unmarked
        }
    }

    /// Reads the header of a file for which this process has a key.
    private static func read(_ path: String, _ owner: SealedOwner) throws(StorageError) -> FileHeader {
        guard let first = try SealedFiles.header(of: path) else { return .missing }
        if first.isEmpty { return .empty }
        guard SealedHeader.isMarked(first) else {
            let bytes = Array(first.prefix(KnownHeader.byteCount))
            let rest = [UInt8](repeating: 0, count: KnownHeader.byteCount - bytes.count)
            return FileHeader(bytes + rest, bytes.count) { false }
        }
        // A file whose key or first page cannot be opened has the mark, and is damaged.
        guard let bytes = try SealedFiles.databaseHeader(of: path, owner) else { return .garbage }
        if bytes.isEmpty { return .empty }
        let rest = [UInt8](repeating: 0, count: KnownHeader.byteCount - bytes.count)
        return FileHeader(bytes + rest, bytes.count) { false }
    }

    /// Returns true if a file has one of the two marks of an encrypted data file.
    private static func isSealed(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: SealedHeader.magic) { return true }
        var copy = [UInt8](repeating: 0, count: SealedHeader.magic.count)
        let count = pread(descriptor, &copy, copy.count, off_t(SealedHeader.copyByteCount))
        return count == copy.count && copy == SealedHeader.magic
    }

    /// Returns true if the first bytes of a file are those of a database that is not encrypted, ours or another one.
    static func isPlain(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: magic) || (bytes.count >= 72 && integer(bytes, at: 68) == DataFile.applicationID)
    }

    private static let magic = Array("SQLite format 3\0".utf8)

    /// Returns the first 100 bytes of a file, or as many as it has; nil when they cannot be read, or are sealed, or
    /// this process has the file open.
    static func bytes(of path: String) -> [UInt8]? {
        guard !FilesInUse.contains(path), SealedFiles.owner(of: path) == nil else { return nil }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: KnownHeader.byteCount)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : Array(bytes[..<count])
    }

    /// Classifies a file that has the Tidemark mark by its format.
    ///
    /// - Parameters:
    ///   - version: The number at offset 60.
    ///   - available: The methods of compression that the program has.
    init(version: Int32, available: Set<DataCompression> = DataCompression.available) {
        if let format = FileFormat(version: version) {
            let missing = DataCompression.allCases.first { format.compressions.subtracting(available).contains($0) }
            self = missing.map { .compressed(by: $0) } ?? .ours(version: format.number)
        } else {
            let isNewer = DataFile.formatVersion...FileHeader.plausibleVersionMax ~= version
            self = isNewer ? .newer(version: version) : .garbage
        }
    }

    /// Returns the error for a file that Tidemark must not change; nil for other files.
    ///
    /// - Parameter isKnown: True if a file beside it shows that it was a Tidemark file; see ``FileTraces``.
    func refusal(path: String, isKnown: Bool = true) -> StorageError? {
        switch self {
        case .missing, .empty, .garbage, .ours: nil
        case .unmarked:
            isKnown
                ? nil
                : StorageError(
                    .notOurs, "\(path) is not a database; it was not changed", advice: "pass another file name")
        case .sealed: SealedFiles.keyNeeded(path)
        case .foreign(let applicationID):
            StorageError(
                .notOurs, "\(path) is a SQLite database of another program; it was not changed",
                advice: (applicationID ^ DataFile.applicationID).nonzeroBitCount == 1
                    ? "if Tidemark made it, its mark is damaged: repair it with tidemark verify --repair"
                    : "pass another file name")
        case .newer(let version):
            StorageError(
                .newerFormat,
                "\(path) has format \(version), this program reads up to \(DataFile.formatVersion); it was not changed",
                advice: "use a newer tidemark, or pass another file name")
        case .compressed(let compression): compression.refusal(path: path, available: [])
        }
    }

    private static func integer(_ bytes: [UInt8], at offset: Int) -> Int32 {
        Int32(bitPattern: bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
}
