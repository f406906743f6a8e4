import Foundation
import Tidemark

/// The signs beside a file that say it was a data file, even when its own first bytes do not.
///
/// Only a file that was ours is ever moved aside or replaced: whatever else a path names is somebody's, and is left alone.
enum FileTraces {
    /// Whether our lock, our log, or a file that is to take its place lies beside it.
    ///
    /// To be asked before a lock is taken, which makes one.
    static func areBeside(_ file: DataFilePath) -> Bool {
        isLock(file.lock) || isLog(file.writeAheadLog) || isOurs(file.replacement)
    }

    /// The error for a name that a new file would be made under, or would take, and that somebody else's file has.
    ///
    /// - Parameter file: Without a trace of ours beside it, and without contents.
    static func stranger(beside file: DataFilePath) -> StorageError? {
        if !isUnfinished(file.unfinished) { return refusal(file.unfinished) }
        if !isEmpty(file.writeAheadLog), !isLog(file.writeAheadLog) { return refusal(file.writeAheadLog) }
        if !isEmpty(file.rollbackJournal), !isRollbackJournal(file.rollbackJournal) {
            return refusal(file.rollbackJournal)
        }
        return nil
    }

    /// The error for a file under the name of one that is to take a damaged one's place, and that is none.
    static func stranger(inPlaceOf file: DataFilePath) throws(StorageError) -> StorageError? {
        let header = try FileHeader.read(file.replacement)
        return switch header {
        case .missing, .ours, .garbage: nil
        case .newer: header.refusal(path: file.replacement)
        case .empty, .unmarked, .foreign: refusal(file.replacement)
        }
    }

    private static func refusal(_ path: String) -> StorageError {
        StorageError(
            .notOurs, "\(path) was not made by tidemark; it was left as it is",
            advice: "give another file name, or move that file away")
    }

    private static func isEmpty(_ path: String) -> Bool { DataFilePath.byteCount(path) ?? 0 == 0 }

    private static func isOurs(_ path: String) -> Bool {
        do throws(StorageError) {
            return switch try FileHeader.read(path) {
            case .ours, .garbage: true
            case .missing, .empty, .unmarked, .foreign, .newer: false
            }
        } catch {
            return false
        }
    }

    /// Whether nothing is lost when it goes: it is missing, empty, or as a process may leave a file that it was making, before it was
    /// marked or before its first page was on the disk.
    private static func isUnfinished(_ path: String) -> Bool {
        guard DataFilePath.byteCount(path) != nil else { return true }
        guard let bytes = beginning(path, 100) else { return false }
        if bytes.allSatisfy({ $0 == 0 }) { return true }
        do throws(StorageError) {
            return switch try FileHeader.read(path) {
            case .missing, .empty, .ours, .garbage, .foreign(applicationID: 0): true
            case .unmarked, .foreign, .newer: false
            }
        } catch {
            return false
        }
    }

    /// A process id or nothing.
    private static func isLock(_ path: String) -> Bool {
        guard let bytes = beginning(path, 24) else { return false }
        return bytes.count < 24 && bytes.allSatisfy { 48...57 ~= $0 || $0 == UInt8(ascii: "\n") }
    }

    /// A write-ahead log with our page size.
    ///
    /// - Source: sqlite.org, database file format, section 4.1.
    private static func isLog(_ path: String) -> Bool {
        guard let bytes = beginning(path, 32), bytes.count == 32 else { return false }
        let pageByteCount = bytes[8..<12].reduce(0) { $0 << 8 | Int($1) }
        return bytes[..<3].elementsEqual([0x37, 0x7F, 0x06]) && 0x82...0x83 ~= bytes[3]
            && pageByteCount == DataFile.pageByteCount
    }

    /// - Source: sqlite.org, database file format, section 3.
    private static func isRollbackJournal(_ path: String) -> Bool {
        beginning(path, 8) == [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    }

    /// At most so many bytes of a plain file; nil when it is none, or cannot be read.
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
