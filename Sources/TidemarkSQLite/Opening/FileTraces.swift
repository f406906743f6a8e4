import Foundation
import Tidemark

/// Finds signs beside a file that it was a Tidemark data file, even if its own first bytes do not show it.
///
/// Only a file that was a Tidemark file is ever moved aside or replaced. Any other file at a path belongs to somebody
/// else and is not changed.
enum FileTraces {
    /// Returns true if a Tidemark lock, log or replacement is beside the file.
    ///
    /// Call it before taking the lock, which creates a lock file.
    static func areBeside(_ file: DataFilePath) -> Bool {
        isLock(file.lock) || isLog(file.writeAheadLog) || isOurs(file.replacement) || isOurs(file.erasure)
    }

    /// Returns the error for a foreign file whose name a new data file needs; nil when there is none.
    ///
    /// - Parameter file: A file that is empty or missing, without a sign of Tidemark beside it.
    static func stranger(beside file: DataFilePath) -> StorageError? {
        if !isUnfinished(file.unfinished) { return refusal(file.unfinished) }
        if !isEmpty(file.writeAheadLog), !isLog(file.writeAheadLog) { return refusal(file.writeAheadLog) }
        if !isEmpty(file.rollbackJournal), !isRollbackJournal(file.rollbackJournal) {
            return refusal(file.rollbackJournal)
        }
        return nil
    }

    /// Returns the error for a foreign file that has the name of a replacement; nil when there is none.
    static func stranger(inPlaceOf file: DataFilePath) throws(StorageError) -> StorageError? {
        let header = try FileHeader.read(file.replacement)
        let found: StorageError? =
            switch header {
            case .missing, .ours, .garbage: nil
            case .newer, .compressed, .sealed: header.refusal(path: file.replacement)
            case .empty, .unmarked, .foreign: refusal(file.replacement)
            }
        guard found == nil, DataFilePath.byteCount(file.erasure) != nil else { return found }
        let erased = try FileHeader.read(file.erasure)
        return switch erased {
        case .missing, .ours: nil
        case .newer, .compressed, .sealed: erased.refusal(path: file.erasure)
        case .empty, .unmarked, .garbage, .foreign: refusal(file.erasure)
        }
    }

    private static func refusal(_ path: String) -> StorageError {
        StorageError(
            .notOurs, "\(path) was not made by tidemark; it was not changed",
            advice: "pass another file name, or move that file away")
    }

    private static func isEmpty(_ path: String) -> Bool { DataFilePath.byteCount(path) ?? 0 == 0 }

    private static func isOurs(_ path: String) -> Bool {
        do throws(StorageError) {
            return switch try FileHeader.read(path) {
            case .ours, .garbage, .sealed: true
            case .missing, .empty, .unmarked, .foreign, .newer, .compressed: false
            }
        } catch {
            return false
        }
    }

    /// Returns true if a file can be deleted without loss: it is missing or empty, or a process left it unfinished
    /// before it had the mark or its first page was on the disk.
    private static func isUnfinished(_ path: String) -> Bool {
        guard DataFilePath.byteCount(path) != nil else { return true }
        guard let bytes = beginning(path, 100) else { return false }
        if bytes.allSatisfy({ $0 == 0 }) { return true }
        do throws(StorageError) {
            return switch try FileHeader.read(path) {
            case .missing, .empty, .ours, .garbage, .sealed, .foreign(applicationID: 0): true
            case .unmarked, .foreign, .newer, .compressed: false
            }
        } catch {
            return false
        }
    }

    /// Returns true if a file is a Tidemark lock: empty, or a process id.
    private static func isLock(_ path: String) -> Bool {
        guard let bytes = beginning(path, 24) else { return false }
        return bytes.count < 24 && bytes.allSatisfy { 48...57 ~= $0 || $0 == UInt8(ascii: "\n") }
    }

    /// Returns true if a file is a write-ahead log with Tidemark's page size.
    ///
    /// - Source: sqlite.org, database file format, section 4.1.
    private static func isLog(_ path: String) -> Bool {
        guard let bytes = beginning(path, 32), bytes.count == 32 else { return false }
        if bytes.starts(with: SealedKey.logMagic) { return SealedFiles.owner(of: String(path.dropLast(4))) != nil }
        let pageByteCount = bytes[8..<12].reduce(0) { $0 << 8 | Int($1) }
        return bytes[..<3].elementsEqual([0x37, 0x7F, 0x06]) && 0x82...0x83 ~= bytes[3]
            && pageByteCount == DataFile.pageByteCount
    }

    /// Returns true if a file begins like a rollback journal.
    ///
    /// - Source: sqlite.org, database file format, section 3.
    private static func isRollbackJournal(_ path: String) -> Bool {
        beginning(path, 8) == [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    }

    /// Returns the first bytes of a regular file, at most `byteCount`; nil when it is not a plain file, or cannot be
    /// read.
    private static func beginning(_ path: String, _ byteCount: Int) -> [UInt8]? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let count = pread(descriptor, &bytes, byteCount, 0)
        return count < 0 ? nil : Array(bytes[..<count])
    }
}
