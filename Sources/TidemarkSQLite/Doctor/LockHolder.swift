import Foundation

/// The process that has a data file open for writing, found without taking the lock. Even a lock that is held for a
/// moment could make a starting writer fail.
enum LockHolder: Hashable {
    /// There is no lock file, or it is empty.
    case nobody
    /// A process holds the lock; its id is nil when the system does not report it.
    case held(process: Int32?)
    /// The lock file names a process that no longer holds the lock, as after a `kill -9`.
    case left(process: Int32)

    /// Finds the process that has a data file open for writing, by any of its names.
    static func of(_ file: DataFilePath, _ conditions: ExaminationConditions) -> LockHolder {
        let beside = of(lock: file.lock, conditions)
        // A writer that opened the file by another name has another lock.
        guard beside == .nobody, let identity = FileIdentity(path: file.path), let folder = conditions.lockFolder()
        else { return beside }
        return of(lock: IdentityLock.path(of: identity, in: folder), conditions)
    }

    private static func of(lock: String, _ conditions: ExaminationConditions) -> LockHolder {
        let named = process(namedIn: lock)
        if let table = conditions.lockTable(), let inode = inode(lock) {
            if let holder = holder(of: inode, in: table) {
                // The table has no id for a process in another container, but the lock file may name it.
                return .held(process: holder > 0 ? holder : named)
            }
            return named.map { .left(process: $0) } ?? .nobody
        }
        guard let named else { return .nobody }
        return conditions.isAlive(named) ? .held(process: named) : .left(process: named)
    }

    private static func process(namedIn path: String) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes[..<count].prefix { 48...57 ~= $0 }, as: UTF8.self))
    }

    private static func inode(_ path: String) -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// Returns the process that holds a lock on a file; nil when there is none.
    ///
    /// The device of a lock is not compared, because layered file systems report another device there than to `stat`.
    ///
    /// - Source: proc_locks(5): `1: FLOCK  ADVISORY  WRITE 1234 08:01:131 0 EOF`; a waiting lock has `->` after the
    ///   number.
    private static func holder(of inode: UInt64, in table: String) -> Int32? {
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", fields[3] == "WRITE", let process = Int32(fields[4]),
                fields[5].split(separator: ":").last.flatMap({ UInt64($0) }) == inode
            else { continue }
            return process
        }
        return nil
    }
}
