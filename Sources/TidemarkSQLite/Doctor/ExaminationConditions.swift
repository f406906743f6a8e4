import Foundation
import GRDBSQLite

/// The questions that an examination asks the machine; tests give their own answers.
struct ExaminationConditions {
    var sqlite = SQLiteVersion(number: sqlite3_libversion_number())
    /// The kernel's table of mounts; nil when the system has none.
    var mountTable: () -> String? = { text("/proc/self/mountinfo") }
    /// The kernel's table of locks; nil when the system has none.
    var lockTable: () -> String? = { text("/proc/locks") }
    /// Bytes that this user may still write on the file system of a path; nil when the system does not report it.
    var freeByteCount: (String) -> Int64? = { FileSystem.freeByteCount($0) }
    var isAlive: (Int32) -> Bool = { kill($0, 0) == 0 || errno == EPERM }
    /// The folder with the locks of files that have several names; nil when there is no such folder.
    var lockFolder: () -> String? = { LockFolder.standard().existing() }
    var userID: UInt32 = geteuid()

    /// Reads a file of `/proc`. Such a file reports no size, so it is read to its end, 4 MiB at most.
    private static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < 4 << 20 {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
