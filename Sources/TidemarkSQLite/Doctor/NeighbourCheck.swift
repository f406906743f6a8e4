import Foundation

/// Examines the files beside a data file: its lock, its log, and the files that a repair left.
struct NeighbourCheck {
    private let file: DataFilePath
    private let conditions: ExaminationConditions

    init(_ file: DataFilePath, _ conditions: ExaminationConditions) {
        self.file = file
        self.conditions = conditions
    }

    func look(into examination: inout Examination) {
        let holder = LockHolder.of(file, conditions)
        report(holder, &examination)
        let isHeld = if case .held = holder { true } else { false }
        lookAtNames(&examination)
        lookAtLog(isHeld: isHeld, &examination)
        lookAtLeftovers(isHeld: isHeld, &examination)
    }

    private func report(_ holder: LockHolder, _ examination: inout Examination) {
        switch holder {
        case .nobody:
            examination.add(.ok, .neighbours, .lockFree, "nobody has it open for writing", at: file.lock)
        case .held(let process):
            let name = process.map { "process \($0)" } ?? "a process"
            examination.add(
                .note, .neighbours, .writerRunning, "\(name) has it open for writing", at: file.lock,
                advice: "stop it before anything that writes: a second writer ends with 75")
        case .left(let process):
            examination.add(
                .note, .neighbours, .lockLeft,
                "the lock names process \(process), which does not hold it as far as can be seen from here: it was ended hard",
                at: file.lock, advice: "nothing: the next writer takes the lock, and finds all that was acknowledged")
        }
    }

    private func lookAtNames(_ examination: inout Examination) {
        guard let count = FileIdentity(path: file.path)?.nameCount, count > 1 else { return }
        examination.add(
            .warning, .neighbours, .severalNames,
            "the file has \(count) names: its log lies beside one of them, and is not found by another", at: file.path,
            advice: "open it by one name only, and copy the file instead of linking it")
    }

    // MARK: The log

    private func lookAtLog(isHeld: Bool, _ examination: inout Examination) {
        let count = DataFilePath.byteCount(file.writeAheadLog) ?? 0
        let limit = Int64(DataFile.pageByteCount * DataFile.checkpointPageCount)
        if count > 0, LogIdentity.isForeign(file) {
            examination.add(
                .problem, .neighbours, .logForeign, "the log belongs to another database", at: file.writeAheadLog,
                advice: """
                    bring back the log that belongs to it, or move this one away; a writer would move both aside and begin anew
                    """)
        } else if count > limit + limit / 4 {
            examination.add(
                .warning, .neighbours, .logLarge,
                "the log has \(count) bytes, and is copied back at \(limit): a reader holds on to an old state",
                at: file.writeAheadLog,
                advice: "end readers that have been open for long, such as an export into a pipe that nobody reads")
        } else if count > 0, !isHeld {
            examination.add(
                .note, .neighbours, .log, "a log of \(count) bytes is left, and nobody writes", at: file.writeAheadLog,
                advice: "keep it with the file: it holds what was acknowledged last, and the next writer copies it back"
            )
        } else {
            examination.add(.ok, .neighbours, .log, "the log has \(count) bytes", at: file.writeAheadLog)
        }
        if let count = DataFilePath.byteCount(file.rollbackJournal), count > 0 {
            examination.add(
                .note, .neighbours, .rollbackJournal, "a rollback journal of \(count) bytes is left",
                at: file.rollbackJournal, advice: "keep it with the file: the next writer undoes what was not finished")
        }
    }

    // MARK: Files that a repair left

    private func lookAtLeftovers(isHeld: Bool, _ examination: inout Examination) {
        if let count = DataFilePath.byteCount(file.replacement) {
            examination.add(
                .warning, .neighbours, .rebuildUnfinished,
                "a whole file of \(count) bytes is to take the damaged one's place, and the process ended before it did",
                at: file.replacement,
                advice: "leave it: the next writer finishes that, as tidemark verify --repair does")
        }
        if let count = DataFilePath.byteCount(file.unfinished), !isHeld {
            examination.add(
                .note, .neighbours, .unfinished, "a file of \(count) bytes was being made when the process ended",
                at: file.unfinished, advice: "nothing: it is made anew when one is needed; it may be deleted")
        }
        for (path, count) in DamagedFile.all(file) {
            examination.add(
                .note, .neighbours, .movedAside, "a damaged file of \(count) bytes was moved aside", at: path,
                advice: "delete it, with its -wal and -shm, once nobody wants anything of it any more")
        }
    }
}
