import Foundation
import Synchronization
import Tidemark

/// The right to write a file, by whatever name it is opened: an exclusive `flock` on a file in a folder for locks,
/// named after the database's device and inode.
///
/// A hard link gives a database a second name, and so a second ``WriterLock``. The database itself is never opened for
/// this lock, because closing a second descriptor would release SQLite's locks on it. The lock file is deleted when the
/// lock is released.
final class IdentityLock: Sendable {
    let identity: FileIdentity
    private let path: String
    /// The open lock file; nil after the lock was released.
    private let descriptor: Mutex<Int32?>

    /// Takes the lock of a file.
    ///
    /// - Returns: nil when the file does not exist, or when no folder for locks is usable and the file has only one
    ///   name.
    /// - Throws: ``/Tidemark/StorageError`` `.locked`, which names the process and the path by which it opened the
    ///   file; `.cannotCreate` when the file has several names and no folder can be used.
    static func acquire(_ file: DataFilePath, in folder: LockFolder) throws(StorageError) -> IdentityLock? {
        guard let identity = FileIdentity(path: file.path) else { return nil }
        guard let folder = folder.usable() else {
            guard identity.nameCount > 1 else { return nil }
            throw StorageError(
                .cannotCreate,
                "\(file.path) has \(identity.nameCount) names, and no folder can be used for the lock that they share",
                cause: folder.paths.joined(separator: ", "),
                advice: "set XDG_RUNTIME_DIR or TMPDIR to a folder of yours, or remove the other names")
        }
        return try IdentityLock(file, identity, path: IdentityLock.path(of: identity, in: folder))
    }

    static func path(of identity: FileIdentity, in folder: String) -> String { "\(folder)/\(identity.text).lock" }

    private init(_ file: DataFilePath, _ identity: FileIdentity, path: String) throws(StorageError) {
        for attempt in 1...IdentityLock.attemptCountMax {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw DataFilePath.failure("cannot create \(path)", errno) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let number = errno
                let holder = IdentityLock.holder(descriptor)
                close(descriptor)
                guard number == EWOULDBLOCK else { throw DataFilePath.failure("cannot lock \(path)", number) }
                if attempt < IdentityLock.attemptCountMax, IdentityLock.isEnding(holder, identity) {
                    poll(nil, 0, IdentityLock.waitMillisecondCount)
                    continue
                }
                let name = holder.path.map { ", under the name \($0)" } ?? ""
                throw StorageError(
                    .locked, "\(file.path) is open for writing in \(WriterLock.name(of: holder.process))\(name)",
                    advice: "stop that process, or read without writing")
            }
            // The previous holder may have deleted the file before releasing the lock; a lock on a deleted file
            // excludes nobody.
            guard let own = FileIdentity(descriptor: descriptor), own == FileIdentity(path: path) else {
                close(descriptor)
                continue
            }
            let text = Array("\(getpid())\n\(file.path)\n".utf8)
            // Both lines are only informative: a full disk must not keep the cache from opening.
            _ = ftruncate(descriptor, 0)
            _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
            self.identity = identity
            self.path = path
            self.descriptor = Mutex(descriptor)
            return
        }
        throw StorageError(
            .locked, "another process keeps opening and closing \(file.path) for writing",
            advice: "stop that process, or try again")
    }

    private static let attemptCountMax = 100
    /// The pause before another attempt at a lock that is about to be released, in milliseconds; 100 ms in all.
    private static let waitMillisecondCount: Int32 = 1

    /// Returns true if a lock probably belongs to a file that was deleted, and whose number was given to another file:
    /// that file is closed by now, and its lock is released next. It may also have been renamed, and stay locked.
    private static func isEnding(_ holder: (process: String?, path: String?), _ identity: FileIdentity) -> Bool {
        guard let path = holder.path else { return false }
        return FileIdentity(path: path) != identity
    }

    deinit { release() }

    /// Releases the lock. A second call does nothing.
    func release() {
        descriptor.withLock { descriptor in
            guard let held = descriptor else { return }
            descriptor = nil
            // The file is deleted before the lock is released, so that it cannot be another process's lock file.
            unlink(path)
            flock(held, LOCK_UN)
            close(held)
        }
    }

    private static func holder(_ descriptor: Int32) -> (process: String?, path: String?) {
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return (nil, nil) }
        let lines = bytes[..<count].split(separator: UInt8(ascii: "\n"), maxSplits: 1)
        let process = lines.first.map { $0.prefix { 48...57 ~= $0 } } ?? []
        let path = lines.count > 1 ? String(decoding: lines[1].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) : nil
        return (process.isEmpty ? nil : String(decoding: process, as: UTF8.self), path)
    }
}
