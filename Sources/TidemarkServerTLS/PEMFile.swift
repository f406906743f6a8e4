import TidemarkSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A PEM file of certificates or of a key.
struct PEMFile {
    let path: String

    /// The maximum size of a file: 1 MiB. Larger ones are refused.
    private static let byteCountMax = 1 << 20

    /// Reads the whole file.
    ///
    /// - Parameter isSecret: True to refuse a file that others can read or change.
    /// - Throws: ``TLSIdentity/Fault`` when the file cannot be read, is too large, or is refused.
    func bytes(isSecret: Bool) throws(TLSIdentity.Fault) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable }
        defer { close(descriptor) }
        // The permissions are those of the open file, so it cannot be swapped in between.
        guard let rights = FileRights(descriptor: descriptor), rights.isRegular else {
            throw TLSIdentity.Fault(message: "\(path) is not a file")
        }
        guard !isSecret || !rights.isOpenToAll else {
            throw TLSIdentity.Fault(message: "others can read or change \(path): run chmod o= on it", isUnsafe: true)
        }
        guard rights.byteCount <= PEMFile.byteCountMax else {
            throw TLSIdentity.Fault(message: "\(path) is too large to be in PEM")
        }
        var bytes = [UInt8](repeating: 0, count: PEMFile.byteCountMax)
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

    private var unreadable: TLSIdentity.Fault {
        TLSIdentity.Fault(message: "\(path) cannot be read (\(String(cString: strerror(errno))))")
    }
}

/// Calls the system's `read`, which a method would shadow.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
