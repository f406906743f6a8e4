#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The type, permissions, owner and size of an open file.
package struct FileRights: Hashable, Sendable {
    /// True if it is a regular file: no folder, pipe or device.
    package var isRegular: Bool
    /// True if any other user, in the file's group or not, may read, write or execute it.
    package var isOpenToOthers: Bool
    /// True if users outside the file's group may read, write or execute it.
    package var isOpenToAll: Bool
    /// True if this user owns it.
    package var isOwn: Bool
    /// The size of the file in bytes.
    package var byteCount: Int64

    /// Reads the properties of an open file; nil when the descriptor is not open.
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
