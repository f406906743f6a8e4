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
    /// Whether it belongs to this user.
    package var isOwn: Bool

    /// - Returns: nil when the descriptor is not open.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isOpenToOthers = status.st_mode & 0o077 != 0
        isOwn = status.st_uid == geteuid()
    }
}
