import Foundation
import Tidemark

/// The right to write a data file: an exclusive `flock` on the file beside it, held until ``release()``.
///
/// The system releases the lock when the process ends, however it ends. The lock file stays, because if it were
/// removed, two processes could hold two locks of one name. It contains the writer's process id, for people.
final class WriterLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock of a file.
    ///
    /// - Throws: ``/Tidemark/StorageError`` `.locked`, which names the process that holds the lock; `.cannotCreate`.
    init(_ file: DataFilePath) throws(StorageError) {
        let descriptor = open(file.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataFilePath.failure("cannot create \(file.lock)", errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            let holder = WriterLock.holder(descriptor)
            close(descriptor)
            guard number == EWOULDBLOCK else { throw DataFilePath.failure("cannot lock \(file.lock)", number) }
            throw StorageError(
                .locked, "\(file.path) is open for writing in \(WriterLock.name(of: holder))",
                advice: "stop that process, or read without writing")
        }
        let text = Array("\(getpid())\n".utf8)
        // The number is only informative: a full disk must not keep the cache from opening.
        _ = ftruncate(descriptor, 0)
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        self.descriptor = descriptor
    }

    /// Releases the lock. Call it exactly once.
    func release() {
        _ = ftruncate(descriptor, 0)
        // A child process that is being started may have a copy of the descriptor for a moment, so closing ours alone
        // would not unlock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Returns the name of a lock's holder for messages.
    ///
    /// - Parameter process: The id of the process; nil when the lock file does not contain it, as at the moment when
    ///   the lock is taken.
    static func name(of process: String?) -> String { process.map { "process \($0)" } ?? "another process" }

    private static func holder(_ descriptor: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let digits = bytes[..<count].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return digits.isEmpty ? nil : String(decoding: digits, as: UTF8.self)
    }
}
