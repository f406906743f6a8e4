import CFaultVFS

/// A simulated disk for the SQLite files of one folder. It fails on command, and can write the files that a crash would
/// leave.
///
/// Create the disk before you open a database in its folder. Files outside of such folders are not affected, so tests
/// with disks of their own can run side by side.
///
/// ```swift
/// let disk = try FaultDisk(folder: "/tmp/disk")
/// disk.plan(.stop(.within), at: 17, seed: 1)
/// // … use a database in the folder: from the 17th change on every call fails …
/// print(disk.place)
/// try disk.writeImage(.power(seed: 1), to: "/tmp/image")
/// ```
///
/// Sendable because a lock in C protects the whole state of a disk.
public final class FaultDisk: @unchecked Sendable {
    /// When the process ends, relative to a change.
    public enum Moment: CaseIterable, Sendable {
        /// Before the change: none of it is done.
        case before
        /// During the change: a write is partly done, a rename is done or not, other changes are not done.
        case within
        /// After the change: all of it is done.
        case after
    }

    /// The failure to simulate.
    public enum Fault: Hashable, Sendable {
        /// The process ends: from then on every call fails, and nothing changes any more.
        case stop(Moment)
        /// The real process exits at once with ``exitStatus``. Use it in a child process that was started for this.
        case exit(Moment)
        /// Changes fail: a write may be partly done, and data of a failed sync may never reach the disk.
        case changeFails
        /// Changes fail as with `changeFails`, and writes report that the disk is full.
        case full
        /// Reads fail.
        case readFails
        /// Reads return too few bytes.
        case readIsShort
        /// From a read on, every access fails as on a locked device that protects the files, which stay as they are.
        /// With an even seed the access fails with `SQLITE_IOERR_AUTH`, with an odd one with its own error and the
        /// system's `EPERM`.
        case protected
    }

    /// What a crash destroys.
    public enum Loss: Hashable, Sendable {
        /// The process ends and the machine keeps running: every completed write is kept.
        case process
        /// The machine loses power: data that was not synced is partly lost, torn at 512 bytes, or written in another
        /// order. The seed decides which.
        case power(seed: UInt64)
    }

    private let disk: OpaquePointer

    /// Creates a disk for a folder.
    ///
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

    /// The name of the SQLite VFS through which the files of all disks are opened.
    public static var defaultVFSName: String { String(cString: fault_vfs_name()) }

    /// The exit status of a process that ``Fault/exit(_:)`` ended: 99.
    public static let exitStatus: Int32 = 99

    // MARK: Faults

    /// The number of writes, syncs, truncations, deletions and renames so far, including failed ones.
    public var changeCount: Int { Int(fault_disk_change_count(disk)) }

    /// The number of reads so far.
    public var readCount: Int { Int(fault_disk_read_count(disk)) }

    /// The number of calls that failed as planned; of those after a stop, only the first counts.
    public var failureCount: Int { Int(fault_disk_failure_count(disk)) }

    /// True once a planned stop has happened: every call fails, and nothing changes any more.
    public var isStopped: Bool { fault_disk_is_stopped(disk) != 0 }

    /// The last call that failed as planned, such as `change 12, sync of cache.db-wal`; empty when there was none.
    public var place: String {
        var text = [CChar](repeating: 0, count: 200)
        fault_disk_describe(disk, &text, 200)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Plans a fault, and replaces the previous plan.
    ///
    /// - Parameters:
    ///   - fault: The failure to simulate.
    ///   - number: The first change (for read faults, the first read) that fails, counted from 1 since the disk was
    ///     created.
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

    /// Renames a file, as a change of the disk.
    ///
    /// SQLite never renames files, so a caller that does uses this function to include the rename in the simulation.
    /// Until the folder is synced, a power loss may undo it.
    ///
    /// - Returns: 0, or an `errno`.
    public func rename(_ source: String, to target: String) -> Int32 {
        fault_disk_rename(disk, source, target)
    }

    /// Makes the names of the disk's files durable: a power loss no longer undoes earlier renames.
    ///
    /// - Parameter folder: The disk's own folder.
    public func syncFolder(_ folder: String) {
        fault_disk_sync_folder(disk)
    }

    // MARK: Images

    /// Writes the files that a crash would leave into another folder: those of the moment when the disk stopped, else
    /// the current ones.
    ///
    /// - Parameters:
    ///   - loss: What the crash destroys.
    ///   - folder: An existing, different folder, preferably empty.
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
        case .protected: FAULT_PROTECTED
        }
    }
}

/// Why a disk could not be created, or an image not written.
public struct FaultDiskError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What failed, with the folder.
    public var message: String

    /// The message.
    public var description: String { message }
}
