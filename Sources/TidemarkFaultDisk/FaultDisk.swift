import CFaultVFS

/// A folder whose SQLite files are on a simulated disk: it fails on command, and can write the files that a crash would
/// leave.
///
/// A disk must be created before a database in its folder is opened. Files outside of such folders are not affected:
/// tests with disks of their own can run side by side.
///
/// ```swift
/// let disk = try FaultDisk(folder: folder.path)
/// disk.plan(.stop(.within), at: 17, seed: seed)
/// // … the operation under test fails from the 17th change on …
/// try disk.writeImage(.power(seed: seed), to: copy.path)
/// ```
///
/// Sendable by locking: a lock in C protects the whole state of a disk.
public final class FaultDisk: @unchecked Sendable {
    /// The moment, relative to a change, at which the process ends.
    public enum Moment: CaseIterable, Sendable {
        case before
        /// During the change: a write is partly done; a rename is done or not; other changes are not done.
        case within
        case after
    }

    /// The failure to simulate.
    public enum Fault: Hashable, Sendable {
        /// The process ends: from then on every call fails, and nothing changes any more.
        case stop(Moment)
        /// The real process exits at once with ``exitStatus``: for a process that was started for this.
        case exit(Moment)
        /// Changes fail; writes may be partly done, and data of a failed sync may never reach the disk.
        case changeFails
        /// Changes fail as with `changeFails`, and writes report a full disk.
        case full
        case readFails
        /// Reads return too few bytes.
        case readIsShort
    }

    /// The data that a crash destroys.
    public enum Loss: Hashable, Sendable {
        /// The process ends, but the machine does not: every completed write is kept.
        case process
        /// The machine ends: data that was not synced is partly lost, torn at 512 bytes, or written in another order.
        case power(seed: UInt64)
    }

    private let disk: OpaquePointer

    /// - Parameter folder: An existing folder. Its files count as synced.
    /// - Throws: ``FaultDiskError``.
    public init(folder: String) throws(FaultDiskError) {
        guard fault_vfs_register() == 0, let disk = fault_disk_make(folder) else {
            throw FaultDiskError(message: "\(folder) cannot be made a disk")
        }
        self.disk = disk
    }

    deinit {
        fault_disk_release(disk)
    }

    /// The name of the VFS that files are opened with.
    public static var defaultVFSName: String { String(cString: fault_vfs_name()) }

    /// The exit status of a process that a disk ended: 99.
    public static let exitStatus: Int32 = 99

    // MARK: Faults

    /// The number of writes, syncs, truncations, deletions and renames so far, including failed ones.
    public var changeCount: Int { Int(fault_disk_change_count(disk)) }

    /// The number of reads so far.
    public var readCount: Int { Int(fault_disk_read_count(disk)) }

    /// The number of calls that failed by plan; after a stop, only the first one counts.
    public var failureCount: Int { Int(fault_disk_failure_count(disk)) }

    public var isStopped: Bool { fault_disk_is_stopped(disk) != 0 }

    /// The last call that failed by plan, such as `change 12, sync of cache.db-wal`; empty when there was none.
    public var place: String {
        var text = [CChar](repeating: 0, count: 200)
        fault_disk_describe(disk, &text, 200)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Plans a fault; replaces the previous plan.
    ///
    /// - Parameters:
    ///   - number: The first change (for read faults: the first read) that fails, counted from 1 since the disk was
    ///     made.
    ///   - count: The number of failures in a row.
    ///   - seed: Decides how much of a write is done.
    public func plan(_ fault: Fault, at number: Int, count: Int = 1, seed: UInt64) {
        let last = Int64(clamping: UInt64(clamping: number) + UInt64(clamping: count)) - 1
        fault_disk_plan(disk, fault.kind, Int64(number), last, seed)
    }

    /// Removes the planned fault. A stopped disk stays stopped.
    public func heal() {
        fault_disk_plan(disk, FAULT_NONE, 0, 0, 0)
    }

    // MARK: Renames

    /// Renames a file, as the system does. SQLite never renames files: a caller uses this function so that the rename
    /// counts as a change of the disk. Until the folder is synced a loss of power may undo it.
    ///
    /// - Returns: 0, or an `errno`.
    public func rename(_ source: String, to target: String) -> Int32 {
        fault_disk_rename(disk, source, target)
    }

    /// Makes the names of the disk's files durable.
    ///
    /// - Parameter folder: The disk's own folder.
    public func syncFolder(_ folder: String) {
        fault_disk_sync_folder(disk)
    }

    // MARK: Images

    /// Writes the disk's files into a folder: their state when the disk stopped, else the current state.
    ///
    /// - Parameter folder: An existing, different folder, empty if possible.
    /// - Throws: ``FaultDiskError``.
    public func writeImage(_ loss: Loss, to folder: String) throws(FaultDiskError) {
        let failure =
            switch loss {
            case .process: fault_disk_write_image(disk, 0, 0, folder)
            case .power(let seed): fault_disk_write_image(disk, 1, seed, folder)
            }
        guard failure == 0 else { throw FaultDiskError(message: "no image in \(folder): error \(failure)") }
    }
}

extension FaultDisk.Fault {
    fileprivate var kind: fault_kind {
        switch self {
        case .stop(.before): FAULT_STOP_BEFORE
        case .stop(.within): FAULT_STOP_WITHIN
        case .stop(.after): FAULT_STOP_AFTER
        case .exit(.before): FAULT_EXIT_BEFORE
        case .exit(.within): FAULT_EXIT_WITHIN
        case .exit(.after): FAULT_EXIT_AFTER
        case .changeFails: FAULT_CHANGE_FAILS
        case .full: FAULT_CHANGE_FULL
        case .readFails: FAULT_READ_FAILS
        case .readIsShort: FAULT_READ_SHORT
        }
    }
}

/// The reason why a disk, or an image of it, could not be made.
public struct FaultDiskError: Error, Hashable, Sendable, CustomStringConvertible {
    public var message: String

    public var description: String { message }
}
