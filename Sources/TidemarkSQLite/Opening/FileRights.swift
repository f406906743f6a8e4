#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The rights on an open file, and its owner.
package struct FileRights: Hashable, Sendable {
    /// Whether it is a regular file: no folder, pipe or device.
    package var isRegular: Bool
    /// Whether other users may read, write or run it.
    package var isOpenToOthers: Bool
    /// Whether users outside the file's group may read, write or run it.
    package var isOpenToAll: Bool
    /// Whether it belongs to this user.
    package var isOwn: Bool
    /// The size of the file.
    package var byteCount: Int64

    /// - Returns: nil when the descriptor is not open.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isOpenToOthers = status.st_mode & 0o077 != 0
        isOpenToAll = status.st_mode & 0o007 != 0
        isOwn = status.st_uid == geteuid()
        byteCount = Int64(status.st_size)
    }
}
