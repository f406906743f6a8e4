#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The memory available to this process: the machine's, or less if a control group limits it, as in a container.
///
/// - Source: Linux, Documentation/admin-guide/cgroup-v2.rst (`memory.max`, `memory.high`) and cgroup-v1/memory.rst
///   (`memory.limit_in_bytes`).
struct MachineMemory {
    /// The memory of the machine, in bytes.
    let physicalByteCount: Int
    /// Returns the content of a small file; nil if it cannot be read.
    let read: (String) -> String?

    private static let root = "/sys/fs/cgroup"

    /// Returns the memory of this machine and process.
    static func current() -> MachineMemory {
        MachineMemory(physicalByteCount: physicalByteCount()) { path in
            do throws(Failure) {
                return String(decoding: try FileContents.bytes(of: path, byteCountMax: 64 << 10), as: UTF8.self)
            } catch {
                return nil
            }
        }
    }

    private static func physicalByteCount() -> Int {
        let pageCount = sysconf(Int32(_SC_PHYS_PAGES))
        let pageByteCount = sysconf(Int32(_SC_PAGESIZE))
        let (product, isTooLarge) = pageCount.multipliedReportingOverflow(by: pageByteCount)
        return isTooLarge ? Int.max : max(0, product)
    }

    /// The available memory in bytes: the minimum of the machine's memory and the limits of the process's control group
    /// and all its parents. Limits that cannot be read are ignored.
    var byteCount: Int {
        var least = physicalByteCount
        for line in (read("/proc/self/cgroup") ?? "").split(separator: "\n") {
            // `0::/path` names a group of version 2; `4:memory:/path` one of version 1, which may list further
            // controllers.
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            if parts[1].isEmpty {
                limit(&least, root: MachineMemory.root, group: parts[2], ["memory.max", "memory.high"])
            } else if parts[1].split(separator: ",").contains("memory") {
                limit(&least, root: MachineMemory.root + "/memory", group: parts[2], ["memory.limit_in_bytes"])
            }
        }
        return least
    }

    /// Lowers a number of bytes to the limits of a group and of its parents, up to the root.
    ///
    /// In a container the root is the container's own group, while the path may be the machine's: a missing group has
    /// no limit, and the root is read in any case.
    private func limit(_ least: inout Int, root: String, group: Substring, _ names: [String]) {
        var components = group.split(separator: "/")
        // The path of a group outside the container's view contains `..`; only the root is known then.
        if components.contains("..") { components = [] }
        while true {
            let folder = ([root] + components.map(String.init)).joined(separator: "/")
            for name in names {
                let text = read("\(folder)/\(name)") ?? ""
                // `max` means no limit. A group of 0 bytes could not run this process.
                guard let limit = Int(text.prefix { $0.isNumber }), limit > 0 else { continue }
                least = min(least, limit)
            }
            guard components.popLast() != nil else { return }
        }
    }
}
