/// The kernel's table of mounts, as `/proc/self/mountinfo` prints it.
///
/// - Source: proc_pid_mountinfo(5).
struct MountTable {
    private var mounts: [FileSystem] = []

    /// Parses a table. Lines that cannot be parsed are skipped.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: false)
            // Optional fields come between the sixth field and a lone hyphen.
            guard fields.count > 6, let end = fields.dropFirst(6).firstIndex(of: "-"), end + 1 < fields.endIndex else {
                continue
            }
            let superOptions = end + 3 < fields.endIndex ? fields[end + 3] : ""
            let isReadOnly = [fields[5], superOptions].contains { options in
                options.split(separator: ",").contains("ro")
            }
            mounts.append(
                FileSystem(
                    type: String(fields[end + 1]), mountPoint: MountTable.unescaped(fields[4]),
                    isReadOnly: isReadOnly))
        }
    }

    /// Returns the file system of a path: that of the longest mount point that contains it, and among mounts at one
    /// place the last.
    ///
    /// - Parameter path: An absolute path with symbolic links resolved.
    /// - Returns: nil when no mount point contains the path.
    func fileSystem(of path: String) -> FileSystem? {
        var best: FileSystem?
        for mount in mounts where MountTable.holds(mount.mountPoint, path) {
            if mount.mountPoint.utf8.count >= best?.mountPoint.utf8.count ?? 0 { best = mount }
        }
        return best
    }

    private static func holds(_ folder: String, _ path: String) -> Bool {
        folder == "/" || path == folder || path.hasPrefix(folder + "/")
    }

    /// Decodes a path of the table, in which white space and backslashes are three octal digits.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            guard byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest.removeFirst(3)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
