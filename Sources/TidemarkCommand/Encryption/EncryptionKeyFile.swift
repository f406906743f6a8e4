import Foundation
import TidemarkEncryption
import TidemarkSQLite

/// A file with the key of an encrypted database.
enum EncryptionKeyFile {
    /// The most bytes of a file that are read; a longer one is not a key.
    private static let byteCountMax = 256

    /// Reads a key: 64 hexadecimal digits, with white space around them, or 32 bytes.
    ///
    /// - Throws: ``Failure``: `not_found` with status 66; `unsafe_key` or `bad_key` with status 78.
    static func read(_ path: String) throws(Failure) -> FileEncryption {
        let bytes = try contents(path)
        guard let key = bytes.count == FileEncryption.keyByteCount ? bytes : decoded(bytes) else {
            throw bad("it has neither 64 hexadecimal digits nor 32 bytes", path)
        }
        do throws(FileEncryptionError) {
            return try FileEncryption(key: key)
        } catch {
            throw bad("\(error)", path)
        }
    }

    private static func contents(_ path: String) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let error = SystemError.last
            guard error.isNoSuchFile else { throw bad(error.text, path) }
            throw Failure(
                .noInput, "not_found", "the key file does not exist", place: path, outcome: "nothing was done",
                advice: "check the name")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw bad("it is not a regular file", path)
        }
        guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() || status.st_uid == 0 else {
            throw Failure(
                .configuration, "unsafe_key", "others can read or change the key file", place: path,
                outcome: "nothing was done", advice: "make it a file of this user with mode 0600, and use a new key")
        }
        var bytes = [UInt8](repeating: 0, count: byteCountMax)
        let count = Foundation.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw bad(SystemError.last.text, path) }
        return Array(bytes.prefix(count))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

    private static func decoded(_ bytes: [UInt8]) -> [UInt8]? {
        var digits = bytes[...]
        while let first = digits.first, isSpace(first) { digits.removeFirst() }
        while let last = digits.last, isSpace(last) { digits.removeLast() }
        guard digits.count == 2 * FileEncryption.keyByteCount else { return nil }
        let values = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard values.count == digits.count else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }

    private static func bad(_ reason: String, _ path: String) -> Failure {
        Failure(
            .configuration, "bad_key", "the key file cannot be used: \(reason)", place: path,
            outcome: "nothing was done", advice: "make one, for example with openssl rand -hex 32")
    }
}
