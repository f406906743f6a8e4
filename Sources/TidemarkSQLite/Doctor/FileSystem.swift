import Foundation

/// The properties of a file system that matter to a database.
struct FileSystem: Hashable {
    /// What a kind of file system means for a write-ahead log and for locks.
    enum Nature: Hashable {
        /// The files are on a disk of this machine.
        case local
        /// The files are on another machine, or on the host of a virtual machine.
        case network
        /// The files are lost when the machine stops.
        case volatile
        /// A writable layer over other file systems, as containers have.
        case layered
    }

    /// The system's name for the type, such as `ext4`.
    var type: String
    /// The path of the mount point; empty when the system does not report it.
    var mountPoint: String
    var isReadOnly: Bool

    /// What the type means for a write-ahead log and for locks. Unknown types count as local, unknown FUSE types as
    /// network.
    var nature: Nature {
        if FileSystem.networkTypes.contains(type) || type.hasPrefix("fuse.") && !FileSystem.localFuse.contains(type) {
            return .network
        }
        if ["tmpfs", "ramfs", "devtmpfs"].contains(type) { return .volatile }
        return ["overlay", "overlayfs", "aufs", "unionfs"].contains(type) ? .layered : .local
    }

    /// Network file systems of Linux and macOS. Virtual machines see their host's files through `9p`, `virtiofs` and
    /// the shared folders.
    private static let networkTypes: Set<String> = [
        "nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afpfs", "webdav", "ftp", "9p", "virtiofs", "vboxsf", "prl_fs",
        "vmhgfs", "drvfs", "ceph", "glusterfs", "lustre", "afs", "coda", "gfs2", "ocfs2", "beegfs", "orangefs", "ncpfs",
    ]

    /// File systems that run in user space over a disk of this machine.
    private static let localFuse: Set<String> = [
        "fuse.ntfs-3g", "fuse.ntfs", "fuse.exfat", "fuse.gocryptfs", "fuse.encfs", "fuse.bindfs", "fuse.mergerfs",
        "fuse.fuse-overlayfs", "fuse.ecryptfs", "fuse.zfs",
    ]

    // MARK: Asking the system

    /// Returns the file system of a path; nil when the system does not report it.
    ///
    /// - Parameters:
    ///   - path: An existing absolute path.
    ///   - mountTable: The kernel's table of mounts; nil to use a system call instead.
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
        /// The table of mounts is the only source on Linux: `statfs` returns a number there, which some network file
        /// systems share with others.
        private static func asked(_ path: String) -> FileSystem? { nil }
    #endif

    /// Returns the bytes that this user may still write on the file system of `path`; nil when the system does not
    /// report it.
    static func freeByteCount(_ path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (count, overflow) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(
            by: Int64(clamping: status.f_frsize))
        return overflow ? .max : count
    }
}
