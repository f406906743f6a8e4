import Foundation

/// Examines SQLite, the file system, its free space, and the permissions of the files.
struct MachineCheck {
    private let file: DataFilePath
    private let conditions: ExaminationConditions

    /// The free bytes below which a writer is about to stop: room for a few flushes and the pages that they change.
    private static let roomByteCountMin: Int64 = 16 << 20

    init(_ file: DataFilePath, _ conditions: ExaminationConditions) {
        self.file = file
        self.conditions = conditions
    }

    /// Adds the findings. Permissions are only examined if the file exists; other checks then use its closest folder.
    func look(into examination: inout Examination, exists: Bool) {
        lookAtSQLite(&examination)
        let place = exists ? file.path : existingFolder
        lookAtFileSystem(place, &examination)
        lookAtRoom(place, &examination)
        guard exists else { return }
        lookAtRights(&examination)
    }

    private var existingFolder: String {
        var url = URL(fileURLWithPath: file.folder)
        while url.path != "/", DataFilePath.byteCount(url.path) == nil { url.deleteLastPathComponent() }
        return url.path
    }

    private func lookAtSQLite(_ examination: inout Examination) {
        let version = conditions.sqlite
        let defects = version.defects
        if defects.isEmpty {
            examination.add(.ok, .machine, .sqliteVersion, "SQLite \(version.text)")
        }
        for defect in defects {
            examination.add(
                .warning, .machine, .sqliteDefect, "SQLite \(version.text) \(defect.what)", advice: defect.advice)
        }
    }

    private func lookAtFileSystem(_ place: String, _ examination: inout Examination) {
        guard let system = FileSystem.of(place, mountTable: conditions.mountTable()) else {
            examination.add(.note, .machine, .fileSystem, "the system does not name the file system", at: place)
            return
        }
        let mount = system.mountPoint.isEmpty ? place : system.mountPoint
        switch system.nature {
        case .local:
            examination.add(.ok, .machine, .fileSystem, "the file system is \(system.type)", at: mount)
        case .network:
            examination.add(
                .warning, .machine, .networkFileSystem,
                """
                the file system \(system.type) is on another machine: a write-ahead log needs memory that all readers and the \
                writer share, which only works on one machine, and the lock of the writer may not hold between machines
                """, at: mount, advice: "keep the database on a disk of this machine, and copy exports instead")
        case .volatile:
            examination.add(
                .warning, .machine, .volatileFileSystem,
                "the file system \(system.type) is in memory: acknowledged changes are lost when the machine stops",
                at: mount, advice: "move the database to a disk if it should survive that")
        case .layered:
            examination.add(
                .note, .machine, .layeredFileSystem,
                """
                the file system \(system.type) is an overlay, as in a container: locks and the log work, and the database is lost \
                when the container is removed
                """, at: mount, advice: "keep it on a volume if it should survive the container")
        }
        if system.isReadOnly {
            examination.add(
                .note, .machine, .readOnlyFileSystem, "the file system is read-only: no writer can open the file",
                at: mount)
        }
    }

    private func lookAtRoom(_ place: String, _ examination: inout Examination) {
        guard let free = conditions.freeByteCount(place) else { return }
        let stored = file.storedByteCount
        let logMax = Int64(DataFile.pageByteCount * DataFile.checkpointPageCount)
        let text = "\(free) bytes are free; the database and its log take \(stored)"
        if free < MachineCheck.roomByteCountMin {
            examination.add(
                .problem, .machine, .room, text, at: place,
                advice:
                    "free space: without it nothing more is acknowledged; writing resumes by itself once there is space"
            )
        } else if free < stored + logMax {
            examination.add(
                .warning, .machine, .room, text, at: place,
                advice:
                    "free space for a second copy and \(logMax) bytes of log, which a repair or a large flush may need")
        } else {
            examination.add(.ok, .machine, .room, text, at: place)
        }
    }

    // MARK: Rights

    private func lookAtRights(_ examination: inout Examination) {
        var isPrivate = true
        for path in [file.path, file.writeAheadLog, file.sharedMemory, file.lock] {
            guard let status = MachineCheck.status(path) else { continue }
            let mode = UInt32(status.st_mode) & 0o777
            guard mode & 0o077 != 0 else { continue }
            isPrivate = false
            let who = mode & 0o022 != 0 ? "written" : "read"
            examination.add(
                .warning, .machine, .rights,
                "users other than the owner may have it \(who): its mode is \(MachineCheck.octal(mode))", at: path,
                advice: "chmod 600 it, unless they should have access")
        }
        if let folder = MachineCheck.status(file.folder) {
            let mode = UInt32(folder.st_mode) & 0o1777
            // With the sticky bit others may add files but not remove any.
            if mode & 0o022 != 0, mode & 0o1000 == 0 {
                isPrivate = false
                examination.add(
                    .warning, .machine, .rights,
                    "other users may replace the files in the folder: its mode is \(MachineCheck.octal(mode))",
                    at: file.folder, advice: "chmod 700 it, or keep the database in a folder of its own")
            }
        }
        if isPrivate {
            examination.add(.ok, .machine, .rights, "only the owner may read and write it", at: file.path)
        }
        lookAtOwner(&examination)
    }

    private func lookAtOwner(_ examination: inout Examination) {
        guard let status = MachineCheck.status(file.path) else { return }
        if status.st_uid != conditions.userID {
            examination.add(
                .note, .machine, .owner,
                "the file belongs to user \(status.st_uid), and this is user \(conditions.userID)", at: file.path,
                advice: "run the writer as its owner")
        }
        let places: [String] = [file.path, file.folder]
        let unwritable = places.filter { access($0, W_OK) != 0 }
        if !unwritable.isEmpty {
            examination.add(
                .note, .machine, .owner, "this user may read the file, not write it",
                at: unwritable.joined(separator: ", "),
                advice: "run a writer as a user who may write it, or change the mode")
        }
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
