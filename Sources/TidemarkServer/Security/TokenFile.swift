import TidemarkSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file that holds a server's token.
///
/// ```swift
/// do {
///     let token = try TokenFile(path: "cache.db.token").token()
///     let server = CacheServer(cache, configuration: CacheServerConfiguration(token: token))
///     try await server.run()
/// } catch let fault as TokenFile.Fault {
///     print(fault.message)
/// }
/// ```
public struct TokenFile: Hashable, Sendable {
    /// The path of the file.
    public let path: String

    /// Refers to a token file, which need not exist; see ``token()``.
    public init(path: String) {
        self.path = path
    }

    /// Why a token file cannot be used.
    public struct Fault: Error, Hashable, Sendable {
        /// What is wrong, and what to do about it.
        public var message: String
        /// True if the file exists but must not be used: others can access it, it belongs to another user, it is not a
        /// regular file, or it holds no token.
        public var isUnsafe: Bool
    }

    /// Reads the token, or creates the file with a new token if it does not exist.
    ///
    /// A new file has mode 0600. An existing file must be a regular file that belongs to this user and that nobody else
    /// can read or write; symbolic links are refused. The permissions are read from the open file, so that it cannot be
    /// swapped in between.
    ///
    /// - Throws: ``Fault`` when the file cannot be used or created.
    public func token() throws(Fault) -> AccessToken {
        // A second process may create the file between the two steps; the next read then succeeds.
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

    /// Creates the file, which appears under its name only with its complete content.
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

/// Calls the system's `read`, which the method `read()` shadows.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

/// Calls the system's `write`.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
