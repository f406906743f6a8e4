import Foundation

/// The identity of a file, independent of its names: its device and its inode.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
    /// The number of names that the file has on its device.
    let nameCount: UInt64

    /// Reads the identity of the file at a path; nil when there is none, or its status cannot be read.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the identity of an open file; nil when the descriptor is not open.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        nameCount = UInt64(truncatingIfNeeded: status.st_nlink)
    }

    /// `<device>-<inode>`, in hexadecimal.
    var text: String { "\(String(device, radix: 16))-\(String(inode, radix: 16))" }

    static func == (left: FileIdentity, right: FileIdentity) -> Bool {
        left.device == right.device && left.inode == right.inode
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(inode)
    }
}
