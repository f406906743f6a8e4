import TidemarkSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file that holds the keys of `--jwt-keys`.
package struct KeyFile: Hashable, Sendable {
    /// The path of the file. Symbolic links are followed, because tools that renew secrets use them.
    package let path: String

    /// Refers to a file, which is read by ``keys()``.
    package init(path: String) {
        self.path = path
    }

    /// Reads and checks the file.
    ///
    /// The permissions are those of the open file, so that it cannot be swapped in between.
    ///
    /// - Throws: ``TokenKeyError`` if the file cannot be read, if users outside its group can read or change it, or if
    ///   a key in it cannot be used.
    package func keys() async throws(TokenKeyError) -> TokenKeySet {
        try await TokenKeySet(json: try bytes())
    }

    private func bytes() throws(TokenKeyError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable }
        defer { close(descriptor) }
        guard let rights = FileRights(descriptor: descriptor), rights.isRegular else {
            throw TokenKeyError("", "is not a regular file: \(path)")
        }
        guard !rights.isOpenToAll else {
            throw TokenKeyError("", "can be read or changed by others: run chmod o= \(path), and replace its keys")
        }
        guard rights.byteCount <= TokenKeySet.fileByteCountMax else {
            throw TokenKeyError("", "has more than \(TokenKeySet.fileByteCountMax) bytes; remove keys")
        }
        var bytes = [UInt8](repeating: 0, count: TokenKeySet.fileByteCountMax)
        var count = 0
        while count < bytes.count {
            let part = bytes.withUnsafeMutableBytes { all in
                systemRead(descriptor, all.baseAddress.map { $0 + count }, all.count - count)
            }
            guard part >= 0 else { throw unreadable }
            if part == 0 { break }
            count += part
        }
        return Array(bytes[..<count])
    }

    private var unreadable: TokenKeyError {
        TokenKeyError("", "cannot be read (\(String(cString: strerror(errno)))): \(path)")
    }
}

/// Calls the system's `read`, which a method would shadow.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
