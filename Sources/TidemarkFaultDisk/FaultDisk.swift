import CFaultVFS

/// A folder whose SQLite files lie on a disk that fails when it is told to, and can say what a crash would leave.
///
/// Has to be made before a database in it is opened. Everything outside of such folders is as ever: tests with disks of
/// their own run side by side.
///
/// ```swift
/// let disk = try FaultDisk(folder: folder.path)
/// disk.plan(.stop(.within), at: 17, seed: seed)
/// // … what is tried fails from the 17th change on …
/// try disk.writeImage(.power(seed: seed), to: copy.path)
/// ```
///
/// Sendable by a lock in C around everything that a disk knows.
public final class FaultDisk: @unchecked Sendable {
    /// Which side of a change the process ends on.
    public enum Moment: CaseIterable, Sendable {
        case before
        /// Of a write a part was done; another name is done or not; other changes count as not done.
        case within
        case after
    }

    /// What happens.
    public enum Fault: Hashable, Sendable {
        /// The process ends: from there on every call fails, and nothing changes any more.
        case stop(Moment)
        /// The process itself ends, at once and with ``exitStatus``: for one that was started for that.
        case exit(Moment)
        /// Changes fail; parts of writes may be done, and what a sync that fails was to keep may never reach the disk.
        case changeFails
        /// As `changeFails`, and writes say that there is no room.
        case full
        case readFails
        /// Reads give too few bytes.
        case readIsShort
    }

    /// What a crash takes along.
    public enum Loss: Hashable, Sendable {
        /// The process ends, the machine goes on: every write that was made is there.
        case process
        /// The machine ends: of what was not synced some is lost, torn at 512 bytes, or done in another order.
        case power(seed: UInt64)
    }

    private let disk: OpaquePointer

    /// - Parameter folder: Exists. Its files count as synced as they are.
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

    /// How a process ends that a disk ended: 99.
    public static let exitStatus: Int32 = 99

    // MARK: Faults

    /// Writes, syncs, truncations, deletions and other names so far, those that failed included.
    public var changeCount: Int { Int(fault_disk_change_count(disk)) }

    /// Reads so far.
    public var readCount: Int { Int(fault_disk_read_count(disk)) }

    /// Calls that failed by plan; after a stop, only the first.
    public var failureCount: Int { Int(fault_disk_failure_count(disk)) }

    public var isStopped: Bool { fault_disk_is_stopped(disk) != 0 }

    /// The last call that failed by plan, as `change 12, sync of cache.db-wal`; empty when none did.
    public var place: String {
        var text = [CChar](repeating: 0, count: 200)
        fault_disk_describe(disk, &text, 200)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Says what is to fail; replaces what was said before.
    ///
    /// - Parameters:
    ///   - number: The first change (for faults of reads: read) that fails, counted from 1 since the disk was made.
    ///   - count: How many in a row.
    ///   - seed: Decides how much of a write is done.
    public func plan(_ fault: Fault, at number: Int, count: Int = 1, seed: UInt64) {
        let last = Int64(clamping: UInt64(clamping: number) + UInt64(clamping: count)) - 1
        fault_disk_plan(disk, fault.kind, Int64(number), last, seed)
    }

    /// Nothing fails any more. A disk that stopped stays stopped.
    public func heal() {
        fault_disk_plan(disk, FAULT_NONE, 0, 0, 0)
    }

    // MARK: Names

    /// Gives a file another name, as the system does. SQLite never does that: whoever does it by this call makes it a
    /// change of the disk. Until the folder is synced a loss of power may take it back.
    ///
    /// - Returns: 0, or an `errno`.
    public func rename(_ source: String, to target: String) -> Int32 {
        fault_disk_rename(disk, source, target)
    }

    /// Makes the names of the disk's files last.
    ///
    /// - Parameter folder: The disk's own.
    public func syncFolder(_ folder: String) {
        fault_disk_sync_folder(disk)
    }

    // MARK: What is left

    /// Writes what is on the disk into a folder: as it was when it stopped, else as it is now.
    ///
    /// - Parameter folder: Exists, is another one, and is best empty.
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

/// Why there is no disk, or no image of one.
public struct FaultDiskError: Error, Hashable, Sendable, CustomStringConvertible {
    public var message: String

    public var description: String { message }
}
