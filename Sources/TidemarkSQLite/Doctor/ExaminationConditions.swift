import Foundation
import GRDBSQLite

/// What an examination asks the machine; tests answer in its place.
struct ExaminationConditions {
    var sqlite = SQLiteVersion(number: sqlite3_libversion_number())
    /// The kernel's table of mounts; nil where there is none.
    var mountTable: () -> String? = { text("/proc/self/mountinfo") }
    /// The kernel's table of locks; nil where there is none.
    var lockTable: () -> String? = { text("/proc/locks") }
    /// Bytes that this user may still write where a path lies; nil when the system does not say.
    var freeByteCount: (String) -> Int64? = { FileSystem.freeByteCount($0) }
    var isAlive: (Int32) -> Bool = { kill($0, 0) == 0 || errno == EPERM }
    /// Where the locks of files with several names lie; nil when there is no such folder.
    var lockFolder: () -> String? = { LockFolder.standard().existing() }
    var userID: UInt32 = geteuid()

    /// Files of `/proc` have no size: they are read to their end, 4 MiB at most.
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
