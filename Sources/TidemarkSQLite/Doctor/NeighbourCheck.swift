import Foundation

/// Examines the files beside a data file: its lock, its log, and files that an interrupted or finished repair left.
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
            examination.add(.ok, .neighbours, .lockFree, "no process has it open for writing", at: file.lock)
        case .held(let process):
            let name = process.map { "process \($0)" } ?? "a process"
            examination.add(
                .note, .neighbours, .writerRunning, "\(name) has it open for writing", at: file.lock,
                advice: "stop it before another command that writes: a second writer ends with 75")
        case .left(let process):
            examination.add(
                .note, .neighbours, .lockLeft,
                "the lock names process \(process), which does not hold it as far as can be seen from here: it was killed",
                at: file.lock, advice: "nothing: the next writer takes the lock, and finds every acknowledged change")
        }
    }

    private func lookAtNames(_ examination: inout Examination) {
        guard let count = FileIdentity(path: file.path)?.nameCount, count > 1 else { return }
        examination.add(
            .warning, .neighbours, .severalNames,
            "the file has \(count) names: its log is beside one of them, and is not found under another", at: file.path,
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
                    put back the log that belongs to it, or move this one away; a writer would move both aside and create an empty file
                    """)
        } else if count > limit + limit / 4 {
            examination.add(
                .warning, .neighbours, .logLarge,
                "the log has \(count) bytes, though it is copied back at \(limit): a reader keeps an old state open",
                at: file.writeAheadLog,
                advice: "end readers that have been open for long, such as an export into a pipe that is not read")
        } else if count > 0, !isHeld {
            examination.add(
                .note, .neighbours, .log, "a log of \(count) bytes is left, and no writer runs", at: file.writeAheadLog,
                advice: "keep it with the file: it holds acknowledged changes, and the next writer copies it back"
            )
        } else {
            examination.add(.ok, .neighbours, .log, "the log has \(count) bytes", at: file.writeAheadLog)
        }
        if let count = DataFilePath.byteCount(file.rollbackJournal), count > 0 {
            examination.add(
                .note, .neighbours, .rollbackJournal, "a rollback journal of \(count) bytes is left",
                at: file.rollbackJournal, advice: "keep it with the file: the next writer rolls it back")
        }
    }

    // MARK: Files that a repair left

    private func lookAtLeftovers(isHeld: Bool, _ examination: inout Examination) {
        if let count = DataFilePath.byteCount(file.replacement) {
            examination.add(
                .warning, .neighbours, .rebuildUnfinished,
                "a complete file of \(count) bytes is to replace the damaged one, and the process ended before it did",
                at: file.replacement,
                advice: "keep it: the next writer finishes the replacement, as tidemark verify --repair does")
        }
        if let count = DataFilePath.byteCount(file.unfinished), !isHeld {
            examination.add(
                .note, .neighbours, .unfinished, "a file of \(count) bytes was being written when the process ended",
                at: file.unfinished, advice: "nothing: it is written again when it is needed; you may delete it")
        }
        for (path, count) in DamagedFile.all(file) {
            examination.add(
                .note, .neighbours, .movedAside, "a damaged file of \(count) bytes was moved aside", at: path,
                advice: "delete it, with its -wal and -shm, once you no longer need it")
        }
    }
}
