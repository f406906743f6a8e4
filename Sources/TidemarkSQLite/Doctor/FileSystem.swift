import Foundation

/// The file system that a path lies on, as far as it matters to a database.
struct FileSystem: Hashable {
    /// What a kind of file system means for a write-ahead log and for locks.
    enum Nature: Hashable {
        case local
        /// Another machine, or the host of a virtual one, has the files.
        case network
        /// Gone when the machine stops.
        case volatile
        /// A writable layer over others, as containers have.
        case layered
    }

    /// As the system calls it, such as `ext4`.
    var type: String
    /// Where it is mounted; empty when the system does not say.
    var mountPoint: String
    var isReadOnly: Bool

    var nature: Nature {
        if FileSystem.networkTypes.contains(type) || type.hasPrefix("fuse.") && !FileSystem.localFuse.contains(type) {
            return .network
        }
        if ["tmpfs", "ramfs", "devtmpfs"].contains(type) { return .volatile }
        return ["overlay", "overlayfs", "aufs", "unionfs"].contains(type) ? .layered : .local
    }

    /// Of Linux and macOS. `9p`, `virtiofs` and the shared folders are how virtual machines see their host's files.
    private static let networkTypes: Set<String> = [
        "nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afpfs", "webdav", "ftp", "9p", "virtiofs", "vboxsf", "prl_fs",
        "vmhgfs", "drvfs", "ceph", "glusterfs", "lustre", "afs", "coda", "gfs2", "ocfs2", "beegfs", "orangefs", "ncpfs",
    ]

    /// What runs in user space over a disk of this machine.
    private static let localFuse: Set<String> = [
        "fuse.ntfs-3g", "fuse.ntfs", "fuse.exfat", "fuse.gocryptfs", "fuse.encfs", "fuse.bindfs", "fuse.mergerfs",
        "fuse.fuse-overlayfs", "fuse.ecryptfs", "fuse.zfs",
    ]

    // MARK: Asking the system

    /// - Parameters:
    ///   - path: Exists, absolute.
    ///   - mountTable: The kernel's, where it has one; else the system is asked about the path.
    static func of(_ path: String, mountTable: String?) -> FileSystem? {
        if let mountTable, let found = MountTable(mountTable).fileSystem(of: path) { return found }
        return asked(path)
    }

    #if canImport(Darwin)
        private static func asked(_ path: String) -> FileSystem? {
            var status = statfs()
            guard statfs(path, &status) == 0 else { return nil }
            let type = withUnsafeBytes(of: status.f_fstypename) { text($0) }
            let mountPoint = withUnsafeBytes(of: status.f_mntonname) { text($0) }
            return FileSystem(
                type: type, mountPoint: mountPoint, isReadOnly: status.f_flags & UInt32(MNT_RDONLY) != 0)
        }

        private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    #else
        /// Linux tells by its table of mounts alone: `statfs` gives a number there, which some network file systems share with others.
        private static func asked(_ path: String) -> FileSystem? { nil }
    #endif

    /// Bytes that this user may still write where `path` lies; nil when the system does not say.
    static func freeByteCount(_ path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (count, overflow) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(
            by: Int64(clamping: status.f_frsize))
        return overflow ? .max : count
    }
}
