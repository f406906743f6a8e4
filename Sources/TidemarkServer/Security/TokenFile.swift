import TidemarkSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file that holds a server's token.
public struct TokenFile: Hashable, Sendable {
    /// The path of the file.
    public let path: String

    public init(path: String) {
        self.path = path
    }

    /// The reason why a token file cannot be used.
    public struct Fault: Error, Hashable, Sendable {
        /// The mistake, and what to do about it.
        public var message: String
        /// Whether the file exists and must not be used, because others can read it or because it holds no token.
        public var isUnsafe: Bool
    }

    /// Reads the token; when the file does not exist, makes it with a new one.
    ///
    /// The new file has mode 0600. An existing one must be a regular file of this user that nobody else can read or
    /// write: its rights are read from the open file, so that nobody can exchange it meanwhile.
    ///
    /// - Throws: ``Fault``.
    public func token() throws(Fault) -> AccessToken {
        // A second process may make the file between the two steps; then the first step succeeds the next time.
        for _ in 0..<3 {
            if let token = try read() { return token }
            if let token = try create() { return token }
        }
        throw Fault(message: "\(path) appears and vanishes: start one server at a time", isUnsafe: false)
    }

    private func read() throws(Fault) -> AccessToken? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Fault(
                message: "\(path) cannot be read (\(String(cString: strerror(errno)))): pass another --token-file",
                isUnsafe: errno == ELOOP)
        }
        defer { close(descriptor) }
        guard let rights = FileRights(descriptor: descriptor), rights.isRegular else {
            throw Fault(message: "\(path) is not a regular file: pass another --token-file", isUnsafe: true)
        }
        guard !rights.isOpenToOthers else {
            throw Fault(
                message:
                    "\(path) can be read or written by other users: delete it, or run chmod 600 and replace its token",
                isUnsafe: true)
        }
        guard rights.isOwn else {
            throw Fault(message: "\(path) belongs to another user: pass another --token-file", isUnsafe: true)
        }
        var bytes = [UInt8](repeating: 0, count: AccessToken.digitCount + 2)
        let count = bytes.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        guard let token = AccessToken(text.hasSuffix("\n") ? String(text.dropLast()) : text) else {
            throw Fault(
                message:
                    "\(path) does not hold \(AccessToken.digitCount) hexadecimal digits: delete it, and it is made anew",
                isUnsafe: true)
        }
        return token
    }

    /// Makes the file; it appears under its name only with its whole contents.
    private func create() throws(Fault) -> AccessToken? {
        let token = AccessToken()
        let temporary = "\(path).\(getpid()).new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw Fault(
                message: "\(path) cannot be made (\(String(cString: strerror(errno)))): pass another --token-file",
                isUnsafe: false)
        }
        defer { unlink(temporary) }
        let bytes = token.digits + [0x0A]
        let count = bytes.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
        let isWritten = count == bytes.count && fchmod(descriptor, 0o600) == 0 && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten else {
            throw Fault(message: "\(path) cannot be written: free space, or pass another --token-file", isUnsafe: false)
        }
        if link(temporary, path) == 0 { return token }
        if errno == EEXIST { return nil }
        throw Fault(
            message: "\(path) cannot be made (\(String(cString: strerror(errno)))): pass another --token-file",
            isUnsafe: false)
    }
}

/// Calls the system's `read`, which the method of that name hides.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

/// Calls the system's `write`.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
