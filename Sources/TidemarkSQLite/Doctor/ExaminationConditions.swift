import Foundation
import GRDBSQLite

/// What an examination reads from the machine. Tests replace parts of it.
struct ExaminationConditions {
    var sqlite = SQLiteVersion(number: sqlite3_libversion_number())
    /// Returns the kernel's table of mounts; nil when the system has none.
    var mountTable: () -> String? = { text("/proc/self/mountinfo") }
    /// Returns the kernel's table of locks; nil when the system has none.
    var lockTable: () -> String? = { text("/proc/locks") }
    /// Returns the bytes that this user may still write on the file system of a path; nil when the system does not
    /// report them.
    var freeByteCount: (String) -> Int64? = { FileSystem.freeByteCount($0) }
    /// Returns true if a process exists.
    var isAlive: (Int32) -> Bool = { kill($0, 0) == 0 || errno == EPERM }
    /// Returns the folder with the locks of files by their identity; nil when there is no such folder.
    var lockFolder: () -> String? = { LockFolder.standard().existing() }
    var userID: UInt32 = geteuid()

    /// Reads a file of `/proc`, up to 4 MiB. Such a file reports no size, so it is read to its end.
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
